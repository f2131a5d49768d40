# make.awk - a table from a description, for tests/init.sh.
#
# The first line of a description is `# rows=N delimiter=; decimal=,`, the next is a header, every
# other line `column,role,values`. `values` says how the column is filled; what is behind a ? is the
# percentage of missing values. Rows depend on nothing but the description.
function random() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
function below(n) { return int(random() * n) }
function pick(list,    part, n, i) { # the first of a list more often
    n = split(list, part, "|")
    i = int(n * random() * random())
    return part[i + 1]
}
function normal(    i, sum) { for (i = 0; i < 12; i++) sum += random(); return sum - 6 }
function padded(number, digits) { return sprintf("%0" digits "d", number) }
function decimal(number, digits,    text) {
    text = sprintf("%." digits "f", number)
    if (comma) sub(/\./, ",", text)
    return text
}
function date(from, to, format,    year, month, day) {
    year = from + below(to - from + 1); month = 1 + below(12); day = 1 + below(28)
    if (format == "iso") return year "-" padded(month, 2) "-" padded(day, 2)
    if (format == "dot") return padded(day, 2) "." padded(month, 2) "." year
    if (format == "slash") return padded(day, 2) "/" padded(month, 2) "/" year
    if (format == "us") return month "/" day "/" year
    if (format == "compact") return year padded(month, 2) padded(day, 2)
    if (format == "spanish") return padded(day, 2) "-" substr("enefebmarabrmayjunjulagosepoctnovdic", month * 3 - 2, 3) "-" year
    if (format == "french") return day " " pick("janvier|mars|juin|août|décembre") " " year
    if (format == "clock") return padded(month, 2) "/" padded(day, 2) "/" year " " padded(1 + below(12), 2) ":" padded(below(60), 2) " " pick("AM|PM")
    if (format == "time") return year "-" padded(month, 2) "-" padded(day, 2) " " padded(below(24), 2) ":" padded(below(60), 2)
}
function grouped(number,    whole) { # 1.234,50
    whole = int(number)
    return (whole < 1000 ? whole : int(whole / 1000) "." padded(whole % 1000, 3)) "," padded(below(100), 2)
}
function person() {
    return pick("Anna|Paul|Maria|Jean|Luca|Carmen|Peter|Sofia|John|Laura|Marta|Hugo|Nina|Felix") " " \
        pick("Adler|Blanc|Costa|Diaz|Evans|Ferrari|Gross|Huber|Ivanov|Jones|Klein|Lopez|Moreau|Novak|Orsini|Perez|Quast|Rossi|Simon|Torres") \
        pick("|-Berg|-Mora|-Hill|-Leroy|-Bianchi")
}
function icd() { return substr("IJKECMFGNSADLR", 1 + int(14 * random() * random()), 1) padded(int(100 * random() * random()), 2) (random() < 0.8 ? "." below(10) : "") }
function value(spec, row,    part, n) {
    n = split(spec, part, " ")
    if (part[1] == "seq") return part[2] + row
    if (part[1] == "number") return part[2] + (row * 7919 * 104729) % 9000000
    if (part[1] == "few") return part[2] + int(row / part[3])
    if (part[1] == "name") return person()
    if (part[1] == "word") return pick("Lange|Petit|Garcia|Bruno|Smith|Weber|Martin|Greco|Baker|Vogel|Roux|Vidal|Conti|Young|Wolf") pick("|er|son|i|es|mann")
    if (part[1] == "int") return part[2] + below(part[3] - part[2] + 1)
    if (part[1] == "skew") return int(part[2] + (part[3] - part[2]) * random() * random() * random())
    if (part[1] == "norm") return decimal(part[2] + part[3] * normal(), part[4])
    if (part[1] == "money") return decimal(part[2] * exp(0.5 * normal()), part[3])
    if (part[1] == "grouped") return grouped(part[2] * exp(0.5 * normal()))
    if (part[1] == "british") return pick("LS|M|B|SW|EH|CF") 1 + below(29) " " 1 + below(9) pick("A|B|D|E|F|G") pick("J|L|N|P|Q")
    if (part[1] == "age") return int(18 + 62 * random() + 15 * random() * random())
    if (part[1] == "date") return date(part[2], part[3], part[4])
    if (part[1] == "postal") return padded(part[2] + int(8000 * random() * random()), 5)
    if (part[1] == "icd") return icd()
    if (part[1] == "yes") return random() * 100 < part[2] ? part[3] : part[4]
    if (part[1] == "mail") return "u" row "@example.org"
    if (part[1] == "phone") return "0" 100 + below(900) "/" 1000000 + below(8999999)
    if (part[1] == "street") return pick("Main St|Elm St|Oak Ave|Lake Rd|Hill Way") " " 1 + below(180)
    if (part[1] == "note") return pick("seen|called|asked|came") " on " date(2020, 2023, "iso") ", " pick("well|tired|late|early") " " row
    if (part[1] == "code") return part[2] padded(below(part[3]), 4)
    sub(/^pick /, "", spec)
    return pick(spec)
}
BEGIN { seed = 12345 }
NR == 1 {
    for (i = 2; i <= NF; i++) { split($i, option, "="); options[option[1]] = option[2] }
    delimiter = options["delimiter"] == "" ? "," : options["delimiter"]
    comma = options["decimal"] == ","
    next
}
NR > 2 {
    at = index($0, ","); rest = substr($0, at + 1)
    repeat = 1
    name = substr($0, 1, at - 1)
    at = index(rest, ","); spec = substr(rest, at + 1)
    share = 0
    if (match(spec, / \?[0-9]+$/)) { share = substr(spec, RSTART + 2) + 0; spec = substr(spec, 1, RSTART - 1) }
    if (match(name, /\[[0-9]+\]$/)) { repeat = substr(name, RSTART + 1) + 0; name = substr(name, 1, RSTART - 1) }
    for (i = 1; i <= repeat; i++) {
        columns++
        names[columns] = repeat > 1 ? name i : name
        specs[columns] = spec
        missing[columns] = share
    }
}
END {
    for (i = 1; i <= columns; i++) printf "%s%s", names[i], i < columns ? delimiter : "\n"
    for (row = 1; row <= options["rows"]; row++)
        for (i = 1; i <= columns; i++) {
            text = random() * 100 < missing[i] ? "" : value(specs[i], row)
            if (index(text, delimiter)) text = "\"" text "\""
            printf "%s%s", text, i < columns ? delimiter : "\n"
        }
}
