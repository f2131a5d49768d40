# read.awk - CSV files as arrays, for the programs beside this one. No field here is quoted but the
# texts of claims.csv, which nothing reads by column.

# load(NAME) - FOLDER/NAME.csv: cell[NAME, row, column name], rows[NAME], columns[NAME],
# column_name[NAME, i]. False: there is no such file.
function load(name, file, line, field, head, count, i) {
    file = folder "/" name ".csv"
    if ((getline line <file) <= 0) return 0
    columns[name] = split(line, head, ",")
    for (i = 1; i <= columns[name]; i++) column_name[name, i] = head[i]
    rows[name] = 0
    while ((getline line <file) > 0) {
        count = split(line, field, ",")
        rows[name]++
        for (i = 1; i <= count; i++) cell[name, rows[name], head[i]] = field[i]
    }
    close(file)
    return 1
}

# What every run gave: run[data, algorithm, boundaries, k, p, seed, form, column].
function load_runs(i, c, key) {
    load("runs")
    for (i = 1; i <= rows["runs"]; i++) {
        key = cell["runs", i, "data"] SUBSEP cell["runs", i, "algorithm"] SUBSEP \
              cell["runs", i, "boundaries"] SUBSEP cell["runs", i, "k"] SUBSEP \
              cell["runs", i, "p"] SUBSEP cell["runs", i, "seed"] SUBSEP cell["runs", i, "form"]
        for (c = 8; c <= columns["runs"]; c++)
            run[key, column_name["runs", c]] = cell["runs", i, column_name["runs", c]]
        known[key] = 1
    }
}

# The figure of a run of seed 1.
function of(data, algorithm, boundaries, k, p, form, name) {
    return run[data, algorithm, boundaries, k, p, 1, form, name]
}

function ran(data, algorithm, boundaries, k, p, form) {
    return (data, algorithm, boundaries, k, p, 1, form) in known
}

# What a paper printed: printed[table, k, p].
function load_printed(i) {
    load("printed")
    for (i = 1; i <= rows["printed"]; i++)
        printed[cell["printed", i, "table"], cell["printed", i, "k"], cell["printed", i, "p"]] = \
            cell["printed", i, "printed"]
}

function mean_of(list, n, i, sum) {
    for (i = 1; i <= n; i++) sum += list[i]
    return sum / n
}

function deviation_of(list, n, i, mean, sum) {
    mean = mean_of(list, n)
    for (i = 1; i <= n; i++) sum += (list[i] - mean) * (list[i] - mean)
    return sqrt(sum / (n - 1))
}

function median_of_five(list, i, j, at) {
    for (i = 1; i <= 5; i++) {
        at = 0
        for (j = 1; j <= 5; j++) at += list[j] < list[i] || (list[j] == list[i] && j < i)
        if (at == 2) return list[i]
    }
}
