# text.awk - docs/reproduction.md with its tables filled in anew.
#
#   awk -v folder=FOLDER -f read.awk -f text.awk docs/reproduction.md
#
# Between a line `<!-- table NAME [COLUMN,COLUMN...] -->` and `<!-- end -->` stands FOLDER/NAME.csv, or those
# columns of it; between `<!-- claims PAPER -->` and `<!-- end -->` the claims of a paper; between `<!-- summary -->`
# and `<!-- end -->` how many entries of each table agree. The rest is text.
/^<!-- end -->$/ { inside = 0 }
inside { next }
{ print }
/^<!-- table / { table($3, NF > 4 ? $4 : ""); inside = 1 }
/^<!-- summary / { summary(); inside = 1 }
/^<!-- claims / { name = $0; gsub(/^<!-- claims | -->$/, "", name); claims(name); inside = 1 }

function table(name, wanted, list, count, i, r, line, rule) {
    if (!load(name)) { print "text.awk: no " name ".csv" >"/dev/stderr"; exit 1 }
    if (wanted != "") count = split(wanted, list, ",")
    else for (i = 1; i <= columns[name]; i++) list[count = i] = column_name[name, i]
    line = rule = "|"
    for (i = 1; i <= count; i++) {
        header = list[i]
        gsub(/_/, " ", header)
        line = line " " header " |"
        rule = rule "---|"
    }
    print line
    print rule
    for (r = 1; r <= rows[name]; r++) {
        line = "|"
        for (i = 1; i <= count; i++) line = line " " cell[name, r, list[i]] " |"
        print line
    }
}

# fields(LINE) - into field[], texts in quotes undone
function fields(line, n, quoted, c, i) {
    n = 1
    field[1] = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"") {
            if (quoted && substr(line, i + 1, 1) == "\"") { field[n] = field[n] c; i++ }
            else quoted = !quoted
        } else if (c == "," && !quoted) field[++n] = ""
        else field[n] = field[n] c
    }
    return n
}

function claims(paper, file, line) {
    file = folder "/claims.csv"
    print "| section | claim | holds | here |"
    print "|---|---|---|---|"
    while ((getline line <file) > 0) {
        fields(line)
        if (index(field[3], paper) != 1) continue
        print "| " field[4] " | " field[5] " | **" field[2] "** | " field[6] " |"
    }
    close(file)
}

# ---- How close the tables are ----

# In how many rows of a table columns a and b are equal.
function equal(name, a, b, r, count) {
    for (r = 1; r <= rows[name]; r++) count += cell[name, r, a] + 0 == cell[name, r, b] + 0
    return count + 0
}

# The rows of a table in which a column lies within +-limit; `furthest` is then the greatest distance.
function within(name, column, limit, r, count, v) {
    furthest = 0
    for (r = 1; r <= rows[name]; r++) {
        if (cell[name, r, column] == "") continue
        v = cell[name, r, column] < 0 ? -cell[name, r, column] : cell[name, r, column] + 0
        count += v <= limit
        if (v > furthest) furthest = v
    }
    return count + 0
}

function summary_line(paper, name, agree, of_all, how) {
    print "| " paper " | " name " | " agree " of " of_all " | " how " |"
}

function summary(t, n, m, total) {
    t = split("campan-2010-table5 campan-2010-table6 miller-2008-table1 miller-2008-table2 domingo-2007-table1 domingo-2007-table2", n, " ")
    for (; t > 0; t--) load(n[t])
    print "| paper | table | entries that agree | how |"
    print "|---|---|---|---|"
    t = within("campan-2010-table5", "deviation_percent", 5)
    summary_line("Campan 2010", "Table 5", t, 21, "within 5 %; the furthest is off by " furthest " %")
    summary_line("Campan 2010", "Table 6, GreedyCPKA", equal("campan-2010-table6", "printed_cpka", "suppressed_cpka"), 21, "exact")
    summary_line("Campan 2010", "Table 6, GreedyCKA", equal("campan-2010-table6", "printed_cka", "suppressed_cka"), 21, "exact")
    for (m = 1; m <= 2; m++) {
        t = within("miller-2008-table" m, "off_by_sd_country", 2)
        summary_line("Miller 2008", "Table " m ", one attribute", t, 9, "within two standard deviations of ten samples; the furthest is off by " furthest)
        t = within("miller-2008-table" m, "off_by_sd_both", 2)
        summary_line("Miller 2008", "Table " m ", two attributes", t, 9, "the same; " furthest)
    }
    for (m = 1; m <= 2; m++) {
        t = within("domingo-2007-table" m, "deviation", 0)
        summary_line("Domingo-Ferrer 2007", "Table " m, t, 14, "exact, cut after two decimals" (furthest > 0 ? "; the furthest is off by " furthest : ""))
    }
    verdicts()
}

function verdicts(file, line, count, all) {
    file = folder "/claims.csv"
    getline line <file
    while ((getline line <file) > 0) { fields(line); count[field[2]]++; all++ }
    close(file)
    print ""
    print "Of " all " claims in the papers' texts " count["yes"] + 0 " hold here, " count["partly"] + 0 \
        " hold in part (not in every case), and " count["no"] + 0 " do not. Reasons follow each table of claims."
}
