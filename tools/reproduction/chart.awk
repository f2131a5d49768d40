# chart.awk - columns of a CSV file as an SVG with one or more panels.
#
#   awk -v name=NAME -v x=p -v panel=k -v y='NTIL' -v log_y=0 -v series='column:label;column:label' \
#       -f chart.awk FILE
#
# `panel` names a column, each value of which is a panel; or, if empty, `panels` gives several of
# 'title|y label|log|series' parted by '/'. A series whose column is absent is left out, an empty cell
# breaks its line. A column that has another NAME_sd gets bars of one deviation. An algorithm is a solid line
# with marks; a bound, labelled "least possible ...", a dashed one without, in the colour of the series before it.
BEGIN {
    FS = ","
    split("#0072b2 #c04d00 #007d5a #b0508c #9a6a00 #5b4bb5 #5c6670 #222222", colour, " ")
    WIDE = 250; HIGH = 230; LEFT = 52; RIGHT = 8; TOP = 26; BOTTOM = 38
}

NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
{ lines++; for (i = 1; i <= NF; i++) value[lines, i] = $i }

function escape(text) {
    gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text)
    return text
}

# ---- What is drawn: per panel its lines of the file and its series ----

function add_series(n, list, parts, i, pair, count) {
    count = split(list, parts, ";")
    for (i = 1; i <= count; i++) {
        split(parts[i], pair, ":")
        if (!(pair[1] in column)) continue
        if (!(pair[2] in style)) {
            style[pair[2]] = ++styles
            label[styles] = pair[2]
            is_bound[styles] = pair[2] ~ /^least possible/
            tone[styles] = is_bound[styles] ? tones : ++tones
        }
        used[n]++
        which[n, used[n]] = column[pair[1]]
        spread[n, used[n]] = (pair[1] "_sd") in column ? column[pair[1] "_sd"] : 0
        look[n, used[n]] = style[pair[2]]
    }
}

function make_panels(r, key, parts, part, i, count) {
    if (panel == "") {
        count = split(panels, parts, "/")
        for (i = 1; i <= count; i++) {
            split(parts[i], part, "|")
            drawn++
            title[drawn] = part[1]; y_label[drawn] = part[2]; is_log[drawn] = part[3]
            add_series(drawn, part[4])
            for (r = 1; r <= lines; r++) member[drawn, r] = 1
        }
        return
    }
    for (r = 1; r <= lines; r++) {
        key = value[r, column[panel]]
        if (!(key in number)) {
            number[key] = ++drawn
            title[drawn] = panel " = " key; y_label[drawn] = y; is_log[drawn] = log_y
            add_series(drawn, series)
        }
        member[number[key], r] = 1
    }
}

# ---- Scales ----

function range_of(n, r, s, v, w) {
    x_least = y_least = 1e300
    x_most = y_most = -1e300
    for (r = 1; r <= lines; r++) {
        if (!member[n, r]) continue
        v = value[r, column[x]] + 0
        if (v < x_least) x_least = v
        if (v > x_most) x_most = v
        for (s = 1; s <= used[n]; s++) {
            if (value[r, which[n, s]] == "") continue
            v = value[r, which[n, s]] + 0
            w = spread[n, s] ? value[r, spread[n, s]] : 0
            if (is_log[n] && v <= 0) continue
            if (v - w < y_least) y_least = v - w
            if (v + w > y_most) y_most = v + w
        }
    }
    if (y_most < y_least) { y_least = 0; y_most = 1 }
    if (is_log[n]) {
        y_least = floor(log(y_least) / log(10) + 1e-9)
        y_most = -floor(-log(y_most) / log(10) + 1e-9)
        if (y_most == y_least) y_most++
        step = 1
    } else {
        y_least = 0
        step = round_step(y_most / 5)
        y_most = step * -floor(-y_most / step + 1e-9)
    }
    if (x_most == x_least) x_most++
}

function floor(v, i) { i = int(v); return i > v ? i - 1 : i }

function round_step(v, power) {
    if (v <= 0) return 1
    power = exp(floor(log(v) / log(10)) * log(10))
    return v <= 1.0001 * power ? power : v <= 2 * power ? 2 * power : v <= 5 * power ? 5 * power : 10 * power
}

function at_x(v) { return LEFT + 10 + (v - x_least) / (x_most - x_least) * (WIDE - LEFT - RIGHT - 20) }

function at_y(n, v) {
    if (is_log[n]) v = v > 0 ? log(v) / log(10) : y_least
    return HIGH - BOTTOM - (v - y_least) / (y_most - y_least) * (HIGH - TOP - BOTTOM)
}

function tick_text(v) { return v >= 10000 ? sprintf("%gk", v / 1000) : sprintf("%.4g", v) }

# ---- Drawing ----

function draw_line(k, path) {
    printf "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s d=\"%s\"/>", colour[tone[k]], \
        is_bound[k] ? " stroke-dasharray=\"5 4\"" : "", path
}

# Marks of one series: filled for the first four, then hollow.
function draw_marks(k, marks) {
    if (is_bound[k]) return
    printf "<path fill=\"%s\" stroke=\"%s\" d=\"%s\"/>", tone[k] <= 4 ? colour[tone[k]] : "#fff", colour[tone[k]], marks
}

function draw_axes(n, v, py, r, seen) {
    for (v = y_least; v <= y_most + step / 2; v += step) {
        py = at_y(n, is_log[n] ? exp(v * log(10)) : v)
        printf "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#d9dde2\"/>", LEFT, WIDE - RIGHT, py, py
        printf "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 5, py + 4, \
            tick_text(is_log[n] ? exp(v * log(10)) : v < step / 2 ? 0 : v)
    }
    printf "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"#5c6670\"/>\n", LEFT, WIDE - RIGHT, \
        HIGH - BOTTOM, HIGH - BOTTOM
    for (r = 1; r <= lines; r++)
        if (member[n, r] && !((value[r, column[x]] + 0) in seen)) {
            seen[value[r, column[x]] + 0] = 1
            printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>", at_x(value[r, column[x]]), \
                HIGH - BOTTOM + 15, value[r, column[x]]
        }
    printf "\n<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (LEFT + WIDE - RIGHT) / 2, HIGH - 8, x
    printf "<text transform=\"rotate(-90)\" x=\"%.1f\" y=\"11\" text-anchor=\"middle\">%s</text>\n", \
        -(HIGH - BOTTOM + TOP) / 2, escape(y_label[n] (is_log[n] ? ", log" : ""))
    printf "<text x=\"%.1f\" y=\"15\" text-anchor=\"middle\" font-weight=\"bold\">%s</text>\n", \
        (LEFT + WIDE - RIGHT) / 2, escape(title[n])
}

function mark(kind, px, py) {
    if (kind % 4 == 1) return sprintf("M%.1f %.1fa3 3 0 1 0 6 0a3 3 0 1 0 -6 0z", px - 3, py)
    if (kind % 4 == 2) return sprintf("M%.1f %.1fh6v6h-6z", px - 3, py - 3)
    if (kind % 4 == 3) return sprintf("M%.1f %.1fl4 7h-8z", px, py - 4)
    return sprintf("M%.1f %.1fl4 4l-4 4l-4 -4z", px, py - 4)
}

function draw_series(n, s, r, v, w, path, marks, bars, pen, k) {
    k = look[n, s]
    pen = "M"
    for (r = 1; r <= lines; r++) {
        if (!member[n, r]) continue
        v = value[r, which[n, s]]
        if (v == "") { pen = "M"; continue }
        path = path sprintf("%s%.1f %.1f", pen, at_x(value[r, column[x]]), at_y(n, v + 0))
        marks = marks mark(tone[k], at_x(value[r, column[x]]), at_y(n, v + 0))
        w = spread[n, s] ? value[r, spread[n, s]] : 0
        if (w > 0) bars = bars sprintf("M%.1f %.1fV%.1f", at_x(value[r, column[x]]), at_y(n, v - w), at_y(n, v + w))
        pen = "L"
    }
    if (path == "") return
    draw_line(k, path)
    if (bars != "") printf "<path fill=\"none\" stroke=\"%s\" d=\"%s\"/>", colour[tone[k]], bars
    draw_marks(k, marks)
    print ""
}

END {
    make_panels()
    total = drawn < 2 ? 2 * WIDE : drawn * WIDE
    per_row = total / WIDE
    rows_of_legend = int((styles + per_row - 1) / per_row)
    height = HIGH + 8 + 18 * rows_of_legend
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" " \
        "font-family=\"sans-serif\" font-size=\"11\" role=\"img\" aria-label=\"%s\">\n", total, height, total, height, escape(name)
    printf "<title>%s</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", escape(name), total, height
    for (n = 1; n <= drawn; n++) {
        range_of(n)
        printf "<g fill=\"#333\" transform=\"translate(%d 0)\">\n", (n - 1) * WIDE
        draw_axes(n)
        for (s = 1; s <= used[n]; s++) draw_series(n, s)
        print "</g>"
    }
    for (s = 1; s <= styles; s++) {
        px = 12 + ((s - 1) % per_row) * WIDE
        py = HIGH + 14 + 18 * int((s - 1) / per_row)
        draw_line(s, sprintf("M%.1f %.1fh28", px, py - 4))
        draw_marks(s, mark(tone[s], px + 14, py - 4))
        printf "<text x=\"%.1f\" y=\"%.1f\" fill=\"#333\">%s</text>\n", px + 34, py, escape(label[s])
    }
    print "</svg>"
}
