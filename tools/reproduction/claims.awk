# claims.awk - every claim of the papers' texts, whether it holds here, and the figures that say so, as
# CSV: timed (the claim is about times), holds (yes, partly, no), paper, section, claim, evidence. Reasons
# where a claim does not hold are in docs/reproduction.md.
#
#   awk -v folder=FOLDER -f read.awk -f claims.awk

function quote(text) {
    gsub(/"/, "\"\"", text)
    return "\"" text "\""
}

function claim(paper, section, timed, holds, text, evidence) {
    print (timed ? "yes" : "no") "," holds "," quote(paper) "," quote(section) "," quote(text) "," quote(evidence)
}

# In all cases; in half of them or more; in fewer.
function verdict(count, of_all) { return count == of_all ? "yes" : 2 * count >= of_all ? "partly" : "no" }

# part(A, B) - "A of B"
function part(count, of_all) { return count " of " of_all }

# The number in a row of a table.
function at(name, row, column) { return cell[name, row, column] + 0 }

# lowest and highest of column a over column b, in a table
function ratios(name, a, b, i, r) {
    lowest = 1e300
    highest = 0
    for (i = 1; i <= rows[name]; i++) {
        if (at(name, i, b) <= 0) continue
        r = at(name, i, a) / at(name, i, b)
        if (r < lowest) lowest = r
        if (r > highest) highest = r
    }
}

# In how many rows column a is above column b.
function above(name, a, b, i, count) {
    for (i = 1; i <= rows[name]; i++) count += at(name, i, a) > at(name, i, b)
    return count + 0
}

# ---- Campan, Truta, Cooper 2010 ----

function campan(i, j, n, grows, f5, f6, t5, t6, least, most, clean, ks, fails, reached) {
    f5 = "campan-2010-figure5"; f6 = "campan-2010-figure6"; t5 = "campan-2010-table5"; t6 = "campan-2010-table6"
    n = above(f5, "GreedyCPKA", "GreedyCKA")
    claim("Campan 2010", "4", 0, verdict(n, 21), "Loss is higher under p-sensitive k-anonymity within boundaries than under k-anonymity alone", \
        "GreedyCPKA above GreedyCKA in " part(n, 21) " pairs")
    n = above(f5, "GreedyPKClustering", "GreedyCKA")
    claim("Campan 2010", "4", 0, verdict(n, 21), "The same without boundaries", \
        "GreedyPKClustering above GreedyCKA, which keeps to boundaries, in " part(n, 21) " pairs")
    ratios(f5, "GreedyCPKA", "GreedyPKClustering")
    claim("Campan 2010", "4, 6", 0, lowest >= .8 && highest <= 1.25 ? "yes" : lowest <= 1.25 && highest >= .8 ? "partly" : "no", \
        "Boundaries do not degrade loss significantly: GreedyCPKA and GreedyPKClustering perform similarly", \
        sprintf("loss with boundaries is %.2f to %.2f of that without", lowest, highest))
    ratios(f6, "GreedyCPKA_plain_seconds", "GreedyCKA_plain_seconds")
    claim("Campan 2010", "4", 1, lowest >= .5 && highest <= 2 ? "yes" : "partly", "GreedyCPKA and GreedyCKA are equally efficient at all p and k", \
        sprintf("plain forms: GreedyCPKA takes %.1f to %.1f of the time of GreedyCKA", lowest, highest))
    ratios(f6, "GreedyPKClustering_plain_seconds", "GreedyCPKA_plain_seconds")
    claim("Campan 2010", "4", 1, lowest >= 2 ? "yes" : "partly", "GreedyPKClustering slows down significantly at high values", \
        sprintf("plain forms: it takes %.1f to %.1f of the time of GreedyCPKA; at k = 20 %.1f s for p = 2 and %.1f s for p = 13", \
                lowest, highest, at(f6, 15, "GreedyPKClustering_plain_seconds"), at(f6, 21, "GreedyPKClustering_plain_seconds")))
    least = 1e300
    for (i = 1; i <= 21; i++) if (at(t5, i, "median") < least) least = at(t5, i, "median")
    claim("Campan 2010", "4", 0, least > 1000 ? "yes" : "partly", "GreedyPKClustering's releases usually contain numerous violations", \
        "at least " least " of 90444 values under a boundary, in every pair")
    n = split("4 8 10 20", ks, " ")
    for (i = 1; i <= n; i++) {
        j = of("adult", "GreedyCKA", "enforce", ks[i], 1, "fast", "achieved_p")
        fails += j < 2
        reached = reached (i > 1 ? ", " : "") j
    }
    claim("Campan 2010", "4", 0, verdict(fails, n), "GreedyCKA alone very likely does not meet p-sensitivity", \
        "its releases for k = 4, 8, 10, 20 are p-sensitive for p = " reached)
    grows = 1
    for (i = 1; i <= 21; i++)
        for (j = 1; j <= 21; j++)
            if (at(t6, j, "k") >= at(t6, i, "k") && at(t6, j, "p") >= at(t6, i, "p") && \
                at(t6, j, "suppressed_cpka") < at(t6, i, "suppressed_cpka")) grows = 0
    claim("Campan 2010", "4", 0, grows ? "yes" : "no", "Suppressed rows increase with k and p", "never fewer for a greater k or p, in all pairs of Table 6")
    for (i = 1; i <= 21; i++) if (at(t6, i, "suppressed_cpka") > most) most = at(t6, i, "suppressed_cpka")
    claim("Campan 2010", "4", 0, most < 45222 / 20 ? "yes" : "no", "Few rows are suppressed, compared with all", \
        sprintf("at most %d of 45222 (%.1f %%)", most, most / 452.22))
    clean = 0
    for (i = 1; i <= 21; i++) clean += of("adult", "GreedyCPKA", "enforce", at(t6, i, "k"), at(t6, i, "p"), "fast", "violations") == "0"
    claim("Campan 2010; Campan (SAC) 2010", "4, 6; 4", 0, verdict(clean, 21), "GreedyCPKA's releases comply with the boundaries", "no violation in " part(clean, 21) " pairs")
    for (n = i = 0; ++i <= 21; ) n += at(t6, i, "suppressed_cpka") == at(t6, i, "boundaries")
    claim("Campan 2010", "3", 0, verdict(n, 21), "OUT is all that must be suppressed (Properties 5 and 6)", "GreedyCPKA suppresses OUT and nothing else in " part(n, 21) " pairs")
}

# ---- Truta et al. 2008 ----

function truta(f, i, name, all, better, worse, u, v, gap) {
    for (f = 3; f <= 7; f++) {
        name = "truta-2008-figure" f
        for (i = 1; i <= rows[name]; i++) {
            all++
            beats += at(name, i, "avg_greedy") < at(name, i, "avg_incognito") && at(name, i, "avg_enhanced") < at(name, i, "avg_incognito")
            better += at(name, i, "avg_enhanced") < at(name, i, "avg_greedy")
            worse += at(name, i, "avg_enhanced") > at(name, i, "avg_greedy")
            il_greedy_best += at(name, i, "il_greedy") <= at(name, i, "il_enhanced") && at(name, i, "il_greedy") <= at(name, i, "il_incognito")
            il_greedy_enhanced += at(name, i, "il_greedy") <= at(name, i, "il_enhanced")
            il_local += at(name, i, "il_greedy") < at(name, i, "il_incognito") && at(name, i, "il_enhanced") < at(name, i, "il_incognito")
            if (at(name, i, "avg_greedy") > 1.0001) {
                hard++
                gains += at(name, i, "avg_enhanced") < at(name, i, "avg_greedy")
            }
            il_as_run += at(name, i, "il_free_greedy") <= at(name, i, "il_free_enhanced") && at(name, i, "il_free_greedy") <= at(name, i, "il_incognito")
            gap = at(name, i, "il_incognito") / at(name, i, "il_greedy")
            if (gap > widest) widest = gap
            quickest += at(name, i, "incognito_plain_seconds") < at(name, i, "greedy_plain_seconds") && at(name, i, "incognito_plain_seconds") < at(name, i, "enhanced_plain_seconds")
            if (at(name, i, "p") <= 4) {
                small++
                optimal += at(name, i, "avg_greedy") < 1.005 && at(name, i, "avg_enhanced") < 1.005
                small_faster += at(name, i, "greedy_plain_seconds") < at(name, i, "enhanced_plain_seconds")
            } else {
                large++
                large_faster += at(name, i, "enhanced_plain_seconds") < at(name, i, "greedy_plain_seconds")
            }
        }
    }
    claim("Truta 2008", "5, 6", 0, verdict(beats, all), "AVG of both clustering algorithms clearly outperforms Incognito's in all experiments", "lower in " part(beats, all) " cases")
    claim("Truta 2008", "5", 0, better > 0 && worse == 0 ? "yes" : "partly", "EnhancedPKClustering improves on GreedyPKClustering's AVG in many cases", \
        "lower in " better ", higher in " worse + 0 " of " all " cases")
    claim("Truta 2008", "5", 0, verdict(optimal, small), "For p = 2 and 4 both find the optimal AVG (1)", "AVG 1.00 of both in " part(optimal, small) " cases")
    claim("Truta 2008", "5", 0, verdict(gains, hard), "Where p-sensitivity is hard EnhancedPKClustering performs better in AVG", "lower in " part(gains, hard) " cases where GreedyPKClustering is above 1")
    for (i = 1; i <= 4; i++) {
        uniform += at("truta-2008-figure4", i, "il_incognito") < at("truta-2008-figure6", i, "il_incognito")
        uniform += at("truta-2008-figure5", i, "il_incognito") < at("truta-2008-figure7", i, "il_incognito")
        normal += at("truta-2008-figure6", i, "il_free_greedy") < at("truta-2008-figure4", i, "il_free_greedy")
        normal += at("truta-2008-figure7", i, "il_free_greedy") < at("truta-2008-figure5", i, "il_free_greedy")
        apart(i, 4, 6)
        apart(i, 5, 7)
    }
    claim("Truta 2008", "5", 0, verdict(uniform, 8), "Incognito's IL is better on uniform quasi-identifiers than on normal ones", "lower in " part(uniform, 8) " pairs of sets (UU and NU, UN and NN)")
    claim("Truta 2008", "5", 0, verdict(normal, 8), "GreedyPKClustering's IL is better on normal quasi-identifiers", "lower in " part(normal, 8) " pairs of sets")
    claim("Truta 2008", "5", 0, enhanced_most <= 1.1 && enhanced_least >= .9 ? "yes" : "no", "EnhancedPKClustering's IL is independent of the quasi-identifiers' distribution", \
        sprintf("IL on normal ones is %.2f to %.2f of that on uniform ones", enhanced_least, enhanced_most))
    claim("Truta 2008", "5, 6", 0, verdict(il_as_run, all), "Overall GreedyPKClustering has the best IL", \
        "best of the three in " part(il_as_run, all) " cases run as in the paper, in " part(il_greedy_best, all) " where all have hierarchies; there not above EnhancedPKClustering in " part(il_greedy_enhanced, all))
    claim("Truta 2008", "6", 0, widest <= 1.25 ? "yes" : "no", "All three obtain similar IL", sprintf("Incognito's is up to %.2f times GreedyPKClustering's", widest))
    claim("Truta 2008", "5", 0, verdict(il_local, all), "Global recoding gives weaker results in terms of any measure", "IL of both clustering algorithms below Incognito's in " part(il_local, all) " cases")
    claim("Truta 2008", "5, 6", 1, verdict(quickest, all), "Incognito is the fastest", "plain forms: in " part(quickest, all) " cases")
    claim("Truta 2008", "5", 1, verdict(small_faster, small), "GreedyPKClustering is faster than EnhancedPKClustering for small p", "plain forms, p of 2 and 4: in " part(small_faster, small) " cases")
    claim("Truta 2008", "5", 1, verdict(large_faster, large), "For large p EnhancedPKClustering has a slight advantage in time", "plain forms, p of 6 and more: in " part(large_faster, large) " cases")
    u = at("truta-2008-figure4", 4, "greedy_plain_seconds"); v = at("truta-2008-figure5", 4, "greedy_plain_seconds")
    claim("Truta 2008", "5", 1, u > 0 && (v / u > 1.25 || v / u < .8) ? "yes" : "no", "GreedyPKClustering's time is influenced by the sensitive attributes' distribution", \
        sprintf("plain form, p = 8: %.2f s on UU, %.2f s on UN", u, v))
}

# EnhancedPKClustering's IL on the normal set of a pair over that on the uniform one.
function apart(i, uniform_set, normal_set, r) {
    r = at("truta-2008-figure" normal_set, i, "il_free_enhanced") / at("truta-2008-figure" uniform_set, i, "il_free_enhanced")
    if (!enhanced_least || r < enhanced_least) enhanced_least = r
    if (r > enhanced_most) enhanced_most = r
}

# ---- Miller, Campan, Truta 2008 ----

function miller(i, f8, f9, n, m, least, text) {
    f8 = "miller-2008-figure8"; f9 = "miller-2008-figure9"
    n = above(f8, "GreedyCKA_country", "k_member") + above(f8, "GreedyCKA_both", "k_member")
    claim("Miller 2008", "5", 0, verdict(n, 18), "Loss is generally greater with constraints", "mean IL of GreedyCKA above that of Greedy_k-member_Clustering in " part(n, 18) " cases")
    for (i = 1; i <= 9; i++) {
        text = text (i > 1 ? ", " : "") at(f8, i, "cheaper_country")
        if (i >= 7) m += at(f8, i, "cheaper_country") > 0
    }
    claim("Miller 2008", "5", 0, verdict(m, 3), "Exceptions occur: with native-country alone GreedyCKA lost less for k = 8, 9, 10", \
        "samples of ten in which GreedyCKA loses less, k = 2 to 10: " text)
    n = above(f8, "GreedyCKA_both", "GreedyCKA_country")
    claim("Miller 2008", "5", 0, verdict(n, 9), "More boundaries generally increase loss", "mean IL with two constrained attributes above that with one for " part(n, 9) " k")
    ratios(f8, "GreedyCKA_both", "k_member")
    claim("Miller 2008", "abstract, 5, 6", 0, highest <= 1.25 ? "yes" : "partly", "Loss is comparable: quality is not sacrificed to a significant extent", \
        sprintf("mean IL with two constrained attributes is %.2f to %.2f of that without", lowest, highest))
    n = above(f9, "k_member_plain_seconds", "GreedyCKA_country_plain_seconds") + above(f9, "k_member_plain_seconds", "GreedyCKA_both_plain_seconds")
    ratios(f9, "k_member_plain_seconds", "GreedyCKA_country_plain_seconds")
    claim("Miller 2008", "5", 1, verdict(n, 18), "GreedyCKA is always more efficient", \
        "plain forms: faster in " part(n, 18) " cases; " sprintf("with one attribute %.2f to %.2f times as fast", lowest, highest))
    n = above(f9, "GreedyCKA_country_plain_seconds", "GreedyCKA_both_plain_seconds")
    ratios(f9, "k_member_plain_seconds", "GreedyCKA_both_plain_seconds")
    claim("Miller 2008", "5", 1, verdict(n, 9), "The more constraints, the more time is saved", \
        "plain forms: two attributes faster than one for " part(n, 9) " k; " sprintf("%.1f to %.1f times as fast as without", lowest, highest))
    least = at("miller-2008-table1", 1, "mean_country")
    claim("Miller 2008", "5", 0, least > 100 ? "yes" : "no", "Greedy_k-member_Clustering's releases contain numerous violations", sprintf("on average at least %d", least))
    for (n = i = 0; ++i <= 10; )
        for (m = 2; m <= 10; m++) {
            n += of("adult8-country-" i, "GreedyCKA", "enforce", m, 1, "fast", "violations") == "0"
            n += of("adult8-both-" i, "GreedyCKA", "enforce", m, 1, "fast", "violations") == "0"
        }
    claim("Miller 2008", "5", 0, verdict(n, 180), "GreedyCKA's releases are free of violations", "none in " part(n, 180) " releases")
}

# ---- Domingo-Ferrer, Sebé, Solanas 2007 ----

function domingo(i, t1, t2, same, worse, hard, n, groups, single, p, list, list2) {
    t1 = "domingo-2007-table1"; t2 = "domingo-2007-table2"
    for (i = 1; i <= 14; i++) {
        p = at(t1, i, "p")
        if (p == 1) { same += at(t1, i, "cut") == at(t2, i, "cut"); continue }
        if (p == 10) single += at(t1, i, "groups") == 1 && at(t2, i, "groups") == 1
        else {
            hard++
            worse += at(t1, i, "sse_sst_percent") > at(t2, i, "sse_sst_percent")
            groups += at(t1, i, "groups") < at(t2, i, "groups")
        }
        list[p] = list[p] " " cell[t1, i, "cut"]
        list2[p] = list2[p] " " cell[t2, i, "cut"]
        small1 += of("census", "micro-k-first", "none", at(t1, i, "k"), p, "fast", "smallest") >= 10
        if (p >= 5) { of_small2++; small2 += of("census", "micro-p-first", "none", at(t1, i, "k"), p, "fast", "smallest") >= 10 }
    }
    claim("Domingo-Ferrer 2007", "4", 0, verdict(same, 4), "For p = 1 both algorithms give the same SSE/SST", "equal for " part(same + 0, 4) " k")
    claim("Domingo-Ferrer 2007", "4, 5", 0, verdict(worse, hard), "For greater p Algorithm 1 is clearly worse", "higher SSE/SST for p = 3, 5, 7 in " part(worse, hard) " cases")
    claim("Domingo-Ferrer 2007", "4", 0, verdict(groups, hard), "because its groups are greater on average", "fewer groups in " part(groups, hard) " cases")
    claim("Domingo-Ferrer 2007", "4", 0, verdict(constant(list, "3 5 7"), 3), "Table 1 does not depend on k for p = 3, 5, 7", "one value for all k for " part(constant(list, "3 5 7"), 3) " of p = 3, 5, 7")
    claim("Domingo-Ferrer 2007", "4", 0, verdict(small1, 10), "because the smallest group that Algorithm 1 makes has at least 10 rows", "in " part(small1, 10) " cases with p > 1")
    claim("Domingo-Ferrer 2007", "4", 0, verdict(constant(list2, "5 7"), 2), "Table 2 does not depend on k for p = 5, 7", "one value for all k for " part(constant(list2, "5 7"), 2) " of p = 5, 7")
    claim("Domingo-Ferrer 2007", "4", 0, verdict(small2, of_small2), "because the smallest group has at least 10 rows there too", "in " part(small2 + 0, of_small2) " cases with p of 5 and more")
    claim("Domingo-Ferrer 2007", "4", 0, single == 1 ? "yes" : "no", "For p = 10 both yield a single group", single == 1 ? "one group, SSE/SST 100 %" : "more than one group")
    n = 0
    for (i = 2; i <= 14; i++) n += at(t2, i, "k") == at(t2, i - 1, "k") && at(t2, i, "sse_sst_percent") > at(t2, i - 1, "sse_sst_percent")
    claim("Domingo-Ferrer 2007", "abstract, 5", 0, n == 10 ? "partly" : "no", "Loss increases smoothly with p", "Algorithm 2: higher with each greater p in " part(n, 10) " steps, but not smoothly (from " cell[t2, 1, "cut"] " to " cell[t2, 2, "cut"] " % at k = 3)")
}

# Of how many p all values are the same.
function constant(list, ps, count, i, j, n, part_of, value, same, total) {
    count = split(ps, part_of, " ")
    for (i = 1; i <= count; i++) {
        n = split(list[part_of[i]], value, " ")
        same = 1
        for (j = 2; j <= n; j++) if (value[j] != value[1]) same = 0
        total += same
    }
    return total
}

BEGIN {
    load_runs()
    n = split("campan-2010-table5 campan-2010-table6 campan-2010-figure5 campan-2010-figure6 " \
              "truta-2008-figure3 truta-2008-figure4 truta-2008-figure5 truta-2008-figure6 truta-2008-figure7 " \
              "miller-2008-table1 miller-2008-figure8 miller-2008-figure9 domingo-2007-table1 domingo-2007-table2", names, " ")
    for (i = 1; i <= n; i++) load(names[i])
    print "timed,holds,paper,section,claim,evidence"
    campan()
    truta()
    miller()
    domingo()
}
