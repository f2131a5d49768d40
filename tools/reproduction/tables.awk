# tables.awk - one CSV for each table and figure of the papers, from FOLDER/runs.csv and
# FOLDER/printed.csv. Columns that end in "seconds" are times.
#
#   awk -v folder=FOLDER -f read.awk -f tables.awk

function out(name, line) { print line >(folder "/" name ".csv") }

# The pairs of k and p of Campan, Truta, Cooper 2010: pair_k[i], pair_p[i].
function make_pairs(i, list, part) {
    pairs = split("4,2 4,3 4,4 8,2 8,3 8,4 8,6 8,8 10,2 10,3 10,4 10,6 10,8 10,10 " \
                  "20,2 20,3 20,4 20,6 20,8 20,10 20,13", list, " ")
    for (i = 1; i <= pairs; i++) {
        split(list[i], part, ",")
        pair_k[i] = part[1]
        pair_p[i] = part[2]
    }
}

# ---- Campan, Truta, Cooper 2010 ----

function campan_table5(i, k, p, seed, list, line, median, theirs, off) {
    out("campan-2010-table5", "k,p,printed,median,deviation_percent,within_5_percent," \
                              "seed_1,seed_2,seed_3,seed_4,seed_5")
    for (i = 1; i <= pairs; i++) {
        k = pair_k[i]; p = pair_p[i]; line = ""
        for (seed = 1; seed <= 5; seed++) {
            list[seed] = run["adult", "GreedyPKClustering", "count", k, p, seed, "fast", "violations"] + 0
            line = line "," list[seed]
        }
        median = median_of_five(list)
        theirs = printed["campan-2010-table5", k, p]
        off = 100 * (median - theirs) / theirs
        out("campan-2010-table5", k "," p "," theirs "," median "," sprintf("%.1f", off) "," \
            (off <= 5 && off >= -5 ? "yes" : "no") line)
    }
}

function campan_table6(i, k, p) {
    out("campan-2010-table6", "k,p,printed_cpka,suppressed_cpka,printed_cka,suppressed_cka,boundaries")
    for (i = 1; i <= pairs; i++) {
        k = pair_k[i]; p = pair_p[i]
        out("campan-2010-table6", k "," p "," printed["campan-2010-table6-cpka", k, p] "," \
            of("adult", "GreedyCPKA", "enforce", k, p, "fast", "suppressed") "," \
            printed["campan-2010-table6-cka", k, p] "," \
            of("adult", "GreedyCKA", "enforce", k, 1, "fast", "suppressed") "," \
            of("adult", "boundaries", "enforce", k, p, "fast", "suppressed"))
    }
}

# How many entries of Table 6 come out with our hierarchies, and with each changed in one place.
function campan_hierarchies(i, j, k, p, name, text, cpka, cka) {
    out("hierarchies", "hierarchies,table_6_GreedyCPKA,table_6_GreedyCKA")
    split("adult adult-tens adult-mexico", name, " ")
    split("ours;70-99 parted by tens;Mexico in Central America", text, ";")
    for (j = 1; j <= 3; j++) {
        if (!ran(name[j], "boundaries", "enforce", 4, 1, "fast")) continue
        cpka = cka = 0
        for (i = 1; i <= pairs; i++) {
            k = pair_k[i]; p = pair_p[i]
            cpka += of(name[j], "boundaries", "enforce", k, p, "fast", "suppressed") == printed["campan-2010-table6-cpka", k, p]
            cka += of(name[j], "boundaries", "enforce", k, 1, "fast", "suppressed") == printed["campan-2010-table6-cka", k, p]
        }
        out("hierarchies", text[j] "," cpka " of " pairs "," cka " of " pairs)
    }
}

function campan_figures(i, k, p, hedge, line) {
    hedge = ran("adult", "hedge", "enforce", 4, 2, "fast")
    out("campan-2010-figure5", "k,p,GreedyCPKA,GreedyPKClustering,GreedyCKA" \
        (hedge ? ",hedge,hedge_bound,hedge_unbounded,hedge_unbounded_bound" : ""))
    out("campan-2010-figure6", "k,p,GreedyCPKA_seconds,GreedyPKClustering_seconds,GreedyCKA_seconds," \
        "GreedyCPKA_plain_seconds,GreedyPKClustering_plain_seconds,GreedyCKA_plain_seconds" \
        (hedge ? ",hedge_seconds" : ""))
    for (i = 1; i <= pairs; i++) {
        k = pair_k[i]; p = pair_p[i]
        line = k "," p "," of("adult", "GreedyCPKA", "enforce", k, p, "fast", "ntil") "," \
            of("adult", "GreedyPKClustering", "count", k, p, "fast", "ntil") "," \
            of("adult", "GreedyCKA", "enforce", k, 1, "fast", "ntil")
        if (hedge)
            line = line "," of("adult", "hedge", "enforce", k, p, "fast", "ntil") "," \
                of("adult", "hedge", "enforce", k, p, "fast", "ntil_bound") "," \
                of("adult", "hedge", "count", k, p, "fast", "ntil") "," \
                of("adult", "hedge", "count", k, p, "fast", "ntil_bound")
        out("campan-2010-figure5", line)
        line = k "," p "," of("adult", "GreedyCPKA", "enforce", k, p, "fast", "seconds") "," \
            of("adult", "GreedyPKClustering", "count", k, p, "fast", "seconds") "," \
            of("adult", "GreedyCKA", "enforce", k, 1, "fast", "seconds") "," \
            of("adult", "GreedyCPKA", "enforce", k, p, "plain", "seconds") "," \
            of("adult", "GreedyPKClustering", "count", k, p, "plain", "seconds") "," \
            of("adult", "GreedyCKA", "enforce", k, 1, "plain", "seconds")
        if (hedge) line = line "," of("adult", "hedge", "enforce", k, p, "fast", "seconds")
        out("campan-2010-figure6", line)
    }
}

# ---- Truta et al. 2008 ----

# Clusters counted as the paper does; losses of all three within the job with hierarchies for all, and
# of the two that the paper ran so with QI_N (age) hierarchy-free.
function truta_figure(number, data, most, p, name, tree, hedge, line) {
    name = "truta-2008-figure" number
    tree = data "-hierarchy"
    hedge = ran(tree, "hedge", "none", 20, 2, "fast")
    out(name, "p,avg_greedy,avg_enhanced,avg_incognito,classes_greedy,classes_enhanced,classes_incognito," \
        "il_greedy,il_enhanced,il_incognito,il_free_greedy,il_free_enhanced," \
        (hedge ? "avg_hedge,il_hedge,il_bound,il_free_hedge,il_free_bound," : "") \
        "greedy_seconds,enhanced_seconds,incognito_seconds,greedy_plain_seconds,enhanced_plain_seconds," \
        "incognito_plain_seconds" (hedge ? ",hedge_seconds" : ""))
    for (p = 2; p <= most; p += 2) {
        line = p "," of(data, "GreedyPKClustering", "none", 20, p, "fast", "avg_clusters") "," \
            of(data, "enhanced-pk", "none", 20, p, "fast", "avg_clusters") "," \
            of(tree, "incognito", "none", 20, p, "fast", "avg_clusters") "," \
            of(data, "GreedyPKClustering", "none", 20, p, "fast", "classes") "," \
            of(data, "enhanced-pk", "none", 20, p, "fast", "classes") "," \
            of(tree, "incognito", "none", 20, p, "fast", "classes") "," \
            of(tree, "GreedyPKClustering", "none", 20, p, "fast", "il") "," \
            of(tree, "enhanced-pk", "none", 20, p, "fast", "il") "," \
            of(tree, "incognito", "none", 20, p, "fast", "il") "," \
            of(data, "GreedyPKClustering", "none", 20, p, "fast", "il") "," \
            of(data, "enhanced-pk", "none", 20, p, "fast", "il")
        if (hedge)
            line = line "," of(data, "hedge", "none", 20, p, "fast", "avg_clusters") "," \
                of(tree, "hedge", "none", 20, p, "fast", "il") "," bound(tree, p) "," \
                of(data, "hedge", "none", 20, p, "fast", "il") "," bound(data, p)
        line = line "," of(data, "GreedyPKClustering", "none", 20, p, "fast", "seconds") "," \
            of(data, "enhanced-pk", "none", 20, p, "fast", "seconds") "," \
            of(tree, "incognito", "none", 20, p, "fast", "seconds") "," \
            of(data, "GreedyPKClustering", "none", 20, p, "plain", "seconds") "," \
            of(data, "enhanced-pk", "none", 20, p, "plain", "seconds") "," \
            of(tree, "incognito", "none", 20, p, "plain", "seconds")
        if (hedge) line = line "," of(data, "hedge", "none", 20, p, "fast", "seconds")
        out(name, line)
    }
}

# The bound of hedge as an IL: NTIL times rows times attributes.
function bound(data, p, ntil, part) {
    ntil = of(data, "hedge", "none", 20, p, "fast", "ntil_bound")
    return ntil == "" ? "" : sprintf("%.1f", ntil * 10000 * (data ~ /^adult/ ? 6 : 4))
}

# ---- Miller, Campan, Truta 2008 ----

# spread(NAME, K, ALGORITHM, BOUNDARIES, FIGURE) - over the ten samples, into mean and deviation
function spread(bounded, k, algorithm, boundaries, figure, n, list) {
    for (n = 1; n <= 10; n++) list[n] = of("adult8-" bounded "-" n, algorithm, boundaries, k, 1, "fast", figure)
    mean = mean_of(list, 10)
    deviation = deviation_of(list, 10)
}

# One table: a figure of one algorithm, with one and with two constrained attributes.
function miller_table(number, algorithm, boundaries, figure, k, name, b, bounded, line, theirs) {
    name = "miller-2008-table" number
    out(name, "k,printed_country,mean_country,sd_country,off_by_sd_country,printed_both,mean_both,sd_both,off_by_sd_both")
    for (k = 2; k <= 10; k++) {
        line = k
        for (b = 1; b <= 2; b++) {
            bounded = b == 1 ? "country" : "both"
            spread(bounded, k, algorithm, boundaries, figure)
            theirs = printed[name "-" bounded, k, 1]
            line = line "," theirs "," sprintf("%.1f,%.1f,", mean, deviation) \
                (deviation > 0 ? sprintf("%.1f", (theirs - mean) / deviation) : theirs == mean ? "0.0" : "")
        }
        out(name, line)
    }
}

function miller_figures(k, line, hedge) {
    hedge = ran("adult8-both-1", "hedge", "enforce", 2, 1, "fast")
    out("miller-2008-figure8", "k,k_member,k_member_sd,GreedyCKA_country,GreedyCKA_country_sd," \
        "GreedyCKA_both,GreedyCKA_both_sd,cheaper_country" \
        (hedge ? ",hedge_none,hedge_country,hedge_both,bound_none,bound_country,bound_both" : ""))
    out("miller-2008-figure9", "k,k_member_seconds,GreedyCKA_country_seconds,GreedyCKA_both_seconds," \
        "k_member_plain_seconds,GreedyCKA_country_plain_seconds,GreedyCKA_both_plain_seconds" \
        (hedge ? ",hedge_country_seconds,hedge_both_seconds" : ""))
    for (k = 2; k <= 10; k++) {
        spread("both", k, "Greedy_k-member_Clustering", "count", "il")
        line = k sprintf(",%.1f,%.1f", mean, deviation)
        spread("country", k, "GreedyCKA", "enforce", "il")
        line = line sprintf(",%.1f,%.1f", mean, deviation)
        spread("both", k, "GreedyCKA", "enforce", "il")
        line = line sprintf(",%.1f,%.1f,%d", mean, deviation, cheaper(k))
        if (hedge)
            line = line "," of("adult8-both-1", "hedge", "count", k, 1, "fast", "il") "," \
                of("adult8-country-1", "hedge", "enforce", k, 1, "fast", "il") "," \
                of("adult8-both-1", "hedge", "enforce", k, 1, "fast", "il") "," \
                sprintf("%.1f,%.1f,%.1f", \
                        80000 * of("adult8-both-1", "hedge", "count", k, 1, "fast", "ntil_bound"), \
                        80000 * of("adult8-country-1", "hedge", "enforce", k, 1, "fast", "ntil_bound"), \
                        80000 * of("adult8-both-1", "hedge", "enforce", k, 1, "fast", "ntil_bound"))
        out("miller-2008-figure8", line)
        out("miller-2008-figure9", k \
            "," of("adult8-both-1", "Greedy_k-member_Clustering", "count", k, 1, "fast", "seconds") \
            "," of("adult8-country-1", "GreedyCKA", "enforce", k, 1, "fast", "seconds") \
            "," of("adult8-both-1", "GreedyCKA", "enforce", k, 1, "fast", "seconds") \
            "," of("adult8-both-1", "Greedy_k-member_Clustering", "count", k, 1, "plain", "seconds") \
            "," of("adult8-country-1", "GreedyCKA", "enforce", k, 1, "plain", "seconds") \
            "," of("adult8-both-1", "GreedyCKA", "enforce", k, 1, "plain", "seconds") \
            (hedge ? "," of("adult8-country-1", "hedge", "enforce", k, 1, "fast", "seconds") \
                     "," of("adult8-both-1", "hedge", "enforce", k, 1, "fast", "seconds") : ""))
    }
}

# In how many samples GreedyCKA with one constrained attribute loses less than k-member.
function cheaper(k, n, count) {
    for (n = 1; n <= 10; n++)
        count += of("adult8-country-" n, "GreedyCKA", "enforce", k, 1, "fast", "il") + 0 < \
                 of("adult8-country-" n, "Greedy_k-member_Clustering", "count", k, 1, "fast", "il") + 0
    return count
}

# ---- Domingo-Ferrer, Sebé, Solanas 2007 ----

# In percent, and cut after two decimals as the paper did.
function domingo_table(number, algorithm, k, p, name, list, count, i, ours, theirs) {
    name = "domingo-2007-table" number
    out(name, "k,p,printed,sse_sst_percent,cut,deviation,groups,seconds,plain_seconds")
    for (k = 3; k <= 10; k += k == 7 ? 3 : 2) {
        count = split("1 3 5 7 10", list, " ")
        for (i = 1; i <= count && list[i] + 0 <= k; i++) {
            p = list[i]
            ours = 100 * of("census", algorithm, "none", k, p, "fast", "sse_sst")
            theirs = printed[name, k, p]
            out(name, k "," p "," theirs "," sprintf("%.4f,%.2f,%.2f", ours, cut(ours), cut(ours) - theirs) "," \
                of("census", algorithm, "none", k, p, "fast", "clusters") "," \
                of("census", algorithm, "none", k, p, "fast", "seconds") "," \
                of("census", algorithm, "none", k, p, "plain", "seconds"))
        }
    }
}

function cut(x) { return int(100 * x + 1e-9) / 100 }

# Runs whose plain form gave another figure than the fast one, times aside.
function forms(i, c, key, name, data, compared, differ) {
    for (i = 1; i <= rows["runs"]; i++) {
        if (cell["runs", i, "form"] != "plain") continue
        key = cell["runs", i, "data"] SUBSEP cell["runs", i, "algorithm"] SUBSEP \
              cell["runs", i, "boundaries"] SUBSEP cell["runs", i, "k"] SUBSEP cell["runs", i, "p"] SUBSEP 1
        name = cell["runs", i, "algorithm"]
        compared[name]++
        for (c = 8; c < columns["runs"]; c++)
            if (run[key, "plain", column_name["runs", c]] != run[key, "fast", column_name["runs", c]]) {
                differ[name]++
                break
            }
        plain[name] += run[key, "plain", "seconds"]
        fast[name] += run[key, "fast", "seconds"]
    }
    out("forms", "algorithm,runs_in_both_forms,that_differ,all_fast_seconds,all_plain_seconds")
    for (i = split("GreedyCPKA GreedyPKClustering GreedyCKA Greedy_k-member_Clustering enhanced-pk " \
                   "incognito micro-k-first micro-p-first mdav cbfs", data, " "); i > 0; i--)
        line[i] = data[i] "," compared[data[i]] + 0 "," differ[data[i]] + 0 "," \
            sprintf("%.2f,%.2f", fast[data[i]], plain[data[i]])
    for (i = 1; i in line; i++) out("forms", line[i])
}

BEGIN {
    load_runs()
    load_printed()
    make_pairs()
    campan_table5()
    campan_table6()
    campan_hierarchies()
    campan_figures()
    truta_figure(3, "adult10k", 10)
    truta_figure(4, "uu", 8)
    truta_figure(5, "un", 8)
    truta_figure(6, "nu", 8)
    truta_figure(7, "nn", 8)
    miller_table(1, "Greedy_k-member_Clustering", "count", "violations")
    miller_table(2, "GreedyCKA", "enforce", "suppressed")
    miller_figures()
    domingo_table(1, "micro-k-first")
    domingo_table(2, "micro-p-first")
    forms()
}
