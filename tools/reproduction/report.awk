# report.awk - figures of a report as one line of CSV: suppressed, violations, clusters, classes,
# smallest (rows of a class), achieved_p, ntil, il, avg, avg_clusters, sse_sst, ntil_bound, seconds. The report has one name a line; a name counts
# within its section. What has no meaning is empty. ntil_bound is asked of runs with `bound=1` alone.
/^  "[a-z_]*": [{[]/ { section = $1; gsub(/[":]/, "", section) }
/^      "p": / && section == "model" { value["achieved_p"] = $2 + 0 }
/^  "clusters"/ { value["clusters"] = $2 + 0 }
/^    "[a-z_]*": / {
    name = $1
    gsub(/[":]/, "", name)
    sub(/,$/, "", $2)
    value[section "." name] = $2
}

function figure(name, format) {
    return value[name] == "" || value[name] == "null" ? "" : sprintf(format, value[name])
}

END {
    printf "%s,%s,%d,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", figure("rows.suppressed", "%d"),
        figure("model.boundary_violations", "%d"), value["clusters"], figure("classes.count", "%d"),
        figure("classes.min", "%d"), value["achieved_p"],
        figure("loss.ntil", "%.6f"), figure("loss.il", "%.1f"), figure("loss.avg", "%.4f"),
        figure("loss.avg_clusters", "%.4f"), figure("loss.sse_sst", "%.6f"),
        bound ? figure("loss.ntil_bound", "%.6f") : "", figure("seconds.search", "%.4f")
}
