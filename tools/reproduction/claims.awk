# claims.awk - every claim of the papers' texts, whether it holds here, and the figures that say so, as
# CSV: timed (the claim is about times), holds (yes, partly, no), paper, section, claim, evidence. Reasons
# where a claim does not hold are in docs/reproduction.md, and so is the rule.
#
#   awk -v folder=FOLDER -f read.awk -f claims.awk

function quote(text) {
    gsub(/"/, "\"\"", text)
    return "\"" text "\""
}

# The rule: in all cases; in half of them or more; in fewer.
function verdict(count, of_all) {
    return of_all == 0 ? "not run" : count == of_all ? "yes" : 2 * count >= of_all ? "partly" : "no"
}

# A claim that is right in `count` of `of_all` cases; "#" in the evidence becomes that count.
function claim(paper, section, timed, count, of_all, text, evidence) {
    sub(/#/, part(count, of_all), evidence)
    print (timed ? "yes" : "no") "," verdict(count, of_all) "," quote(paper) "," quote(section) "," quote(text) "," quote(evidence)
}

# part(A, B) - "A of B"
function part(count, of_all) { return count + 0 " of " of_all + 0 }

# "Similar", "comparable", "equal", "independent"; what is not similar differs "significantly".
function similar(a, b) { return a > 0 && b > 0 && a <= 1.25 * b && b <= 1.25 * a }

# The number in a row of a table.
function at(name, row, column) { return cell[name, row, column] + 0 }

# Column a over column b in a table: lowest, highest, and in how many rows they are similar.
function ratios(name, a, b, i, r, count) {
    lowest = 1e300
    highest = 0
    for (i = 1; i <= rows[name]; i++) {
        if (at(name, i, b) <= 0) continue
        r = at(name, i, a) / at(name, i, b)
        if (r < lowest) lowest = r
        if (r > highest) highest = r
        count += similar(at(name, i, a), at(name, i, b))
    }
    return count + 0
}

# In how many rows column a is above column b.
function above(name, a, b, i, count) {
    for (i = 1; i <= rows[name]; i++) count += at(name, i, a) > at(name, i, b)
    return count + 0
}

# The row with the next greater `moving` (way 1) or the next smaller (-1) and the same `fixed`; 0: none.
function next_row(name, i, fixed, moving, way, j, found) {
    for (j = 1; j <= rows[name]; j++)
        if (at(name, j, fixed) == at(name, i, fixed) && way * at(name, j, moving) > way * at(name, i, moving) && \
            (!found || way * at(name, j, moving) < way * at(name, found, moving))) found = j
    return found + 0
}

function last_row(name, i, fixed, moving, way, j) {
    while ((j = next_row(name, i, fixed, moving, way)) > 0) i = j
    return i
}

# Adds to `steps`, `rises` and `falls`: what a column does from each row to the next.
function walk(name, column, fixed, moving, i, j) {
    for (i = 1; i <= rows[name]; i++) {
        if (!(j = next_row(name, i, fixed, moving, 1))) continue
        steps++
        rises += at(name, j, column) > at(name, i, column)
        falls += at(name, j, column) < at(name, i, column)
    }
}

# Adds to `spans` and `slower`: is a time significantly longer at the greatest `moving` than at the least?
function span(name, column, fixed, moving, i, j, r) {
    for (i = 1; i <= rows[name]; i++) {
        if (next_row(name, i, fixed, moving, -1) || !next_row(name, i, fixed, moving, 1)) continue
        j = last_row(name, i, fixed, moving, 1)
        r = at(name, i, column) > 0 ? at(name, j, column) / at(name, i, column) : 0
        if (!spans++) lowest = highest = r
        slower += r > 1.25
        if (r < lowest) lowest = r
        if (r > highest) highest = r
    }
}

# Is the step to the next p up, and per unit of p not significantly steeper than that k is on average?
function is_smooth(name, i, column, first, next_one, last, even, step) {
    first = last_row(name, i, "k", "p", -1)
    last = last_row(name, i, "k", "p", 1)
    next_one = next_row(name, i, "k", "p", 1)
    even = (at(name, last, column) - at(name, first, column)) / (at(name, last, "p") - at(name, first, "p"))
    step = (at(name, next_one, column) - at(name, i, column)) / (at(name, next_one, "p") - at(name, i, "p"))
    if (step / even > steepest) steepest = step / even
    return step > 0 && step <= 1.25 * even
}

# ---- Campan, Truta, Cooper 2010 ----

function campan(f5, f6, n) {
    f5 = "campan-2010-figure5"; f6 = "campan-2010-figure6"
    claim("Campan 2010", "4", 0, above(f5, "GreedyCPKA", "GreedyCKA"), 21, \
        "Loss is higher under p-sensitive k-anonymity within boundaries than under k-anonymity alone", "GreedyCPKA above GreedyCKA in # pairs")
    claim("Campan 2010", "4", 0, above(f5, "GreedyPKClustering", "GreedyCKA"), 21, "The same without boundaries", \
        "GreedyPKClustering above GreedyCKA, which keeps to boundaries, in # pairs")
    n = ratios(f5, "GreedyCPKA", "GreedyPKClustering")
    claim("Campan 2010; Campan (SAC) 2010", "abstract, 4, 6; SAC: abstract, 4", 0, n, 21, \
        "Quality is comparable, boundaries do not degrade loss significantly: GreedyCPKA and GreedyPKClustering perform similarly", \
        sprintf("within 25 %% in # pairs; loss with boundaries is %.2f to %.2f of that without", lowest, highest))
    n = ratios(f6, "GreedyCPKA_plain_seconds", "GreedyCKA_plain_seconds")
    claim("Campan 2010", "4", 1, n, 21, "GreedyCPKA and GreedyCKA perform equally efficiently on all p and k", \
        sprintf("plain forms: within 25 %% in # pairs; GreedyCPKA takes %.1f to %.1f of the time of GreedyCKA", lowest, highest))
    campan_slows(f6)
    campan_releases("campan-2010-table5", "campan-2010-table6")
}

function campan_slows(f6, other, by_p, first_slower, first_spans) {
    spans = slower = 0
    span(f6, "GreedyCPKA_plain_seconds", "k", "p")
    span(f6, "GreedyCPKA_plain_seconds", "p", "k")
    other = part(slower, spans)
    spans = slower = 0
    span(f6, "GreedyPKClustering_plain_seconds", "k", "p")
    by_p = part(slower, spans) sprintf(" k (%.1f to %.1f times the time)", lowest, highest)
    first_slower = slower; first_spans = spans
    span(f6, "GreedyPKClustering_plain_seconds", "p", "k")
    claim("Campan 2010", "4", 1, slower, spans, "At high values of p and k GreedyPKClustering slows down significantly", \
        "plain form: slower by more than 25 % in # cases: from the least to the greatest p for " by_p \
        ", from the least to the greatest k for " part(slower - first_slower, spans - first_spans) " p; GreedyCPKA in " other)
}

function campan_releases(t5, t6, i, k, n, least, most, numerous, few, fails, clean, out, reached) {
    least = 1e300
    for (i = 1; i <= 21; i++) {
        numerous += at(t5, i, "median") > .01 * 90444
        if (at(t5, i, "median") < least) least = at(t5, i, "median")
        few += at(t6, i, "suppressed_cpka") < .05 * 45222
        if (at(t6, i, "suppressed_cpka") > most) most = at(t6, i, "suppressed_cpka")
        clean += of("adult", "GreedyCPKA", "enforce", at(t6, i, "k"), at(t6, i, "p"), "fast", "violations") == "0"
        out += at(t6, i, "suppressed_cpka") == at(t6, i, "boundaries")
    }
    claim("Campan 2010", "4", 0, numerous, 21, "GreedyPKClustering's releases usually contain numerous violations", \
        "more than 1 % of the 90444 values under a boundary in # pairs; at least " least)
    n = split("4 8 10 20", k, " ")
    for (i = 1; i <= n; i++) {
        fails += of("adult", "GreedyCKA", "enforce", k[i], 1, "fast", "achieved_p") < 2
        reached = reached (i > 1 ? ", " : "") of("adult", "GreedyCKA", "enforce", k[i], 1, "fast", "achieved_p")
    }
    claim("Campan 2010", "4", 0, fails, n, "GreedyCKA alone is very likely not to meet p-sensitivity", \
        "not even for p = 2 in # releases; those for k = 4, 8, 10, 20 are p-sensitive for p = " reached)
    steps = rises = falls = 0
    walk(t6, "suppressed_cpka", "k", "p")
    walk(t6, "suppressed_cpka", "p", "k")
    claim("Campan 2010", "4", 0, rises, steps, "Suppressed rows increase as k and p increase", \
        "more rows in # steps to the next k or p of Table 6, which is the paper's own; fewer in " falls + 0)
    claim("Campan 2010", "4", 0, few, 21, "Few rows are suppressed, compared with all", \
        sprintf("less than 5 %% in # pairs; at most %d of 45222 (%.1f %%)", most, most / 452.22))
    claim("Campan 2010; Campan (SAC) 2010", "abstract, 4, 6; SAC: 4", 0, clean, 21, "GreedyCPKA's releases comply with the boundaries", "no violation in # pairs")
    claim("Campan 2010; Campan (SAC) 2010", "3; SAC: 3", 0, out, 21, "OUT is all that must be suppressed (Properties 5 and 6; SAC: 3 and 4)", \
        "GreedyCPKA suppresses OUT, as `hedgerow boundaries` counts it, and nothing else in # pairs")
}

# ---- Truta et al. 2008 ----

# "il_free_" is IL as the paper ran it, "il_" with hierarchies for all; Incognito has hierarchies in both.
function truta_case(name, i, as, a, g, e, n) {
    split("il_free_ il_", as, " ")
    all++
    beats += at(name, i, "avg_greedy") < at(name, i, "avg_incognito") && at(name, i, "avg_enhanced") < at(name, i, "avg_incognito")
    for (a = 1; a <= 2; a++) {
        g = at(name, i, as[a] "greedy"); e = at(name, i, as[a] "enhanced"); n = at(name, i, "il_incognito")
        best[a] += g <= e && g <= n
        alike[a] += similar(g, e) && similar(g, n) && similar(e, n)
        local[a] += g < n && e < n
    }
    if (at(name, i, "avg_greedy") > 1.0001) {
        hard++
        gains += at(name, i, "avg_enhanced") < at(name, i, "avg_greedy")
    }
    quickest += at(name, i, "incognito_plain_seconds") < at(name, i, "greedy_plain_seconds") && at(name, i, "incognito_plain_seconds") < at(name, i, "enhanced_plain_seconds")
    if (at(name, i, "p") <= 4) {
        small++
        optimal += at(name, i, "avg_greedy") < 1.005 && at(name, i, "avg_enhanced") < 1.005
        small_faster += at(name, i, "greedy_plain_seconds") < at(name, i, "enhanced_plain_seconds")
    } else {
        large++
        better += at(name, i, "avg_enhanced") < at(name, i, "avg_greedy")
        worse += at(name, i, "avg_enhanced") > at(name, i, "avg_greedy")
        large_faster += at(name, i, "enhanced_plain_seconds") < at(name, i, "greedy_plain_seconds")
    }
}

function truta(f, i, name) {
    for (f = 3; f <= 7; f++) {
        name = "truta-2008-figure" f
        for (i = 1; i <= rows[name]; i++) truta_case(name, i)
    }
    claim("Truta 2008", "5, 6", 0, beats, all, "AVG of both clustering algorithms clearly outperforms Incognito's in all experiments", "lower in # cases")
    claim("Truta 2008", "5", 0, better, large, "EnhancedPKClustering improves on GreedyPKClustering's AVG in many cases where p-sensitivity takes prevalence", \
        "p of 6 and more: lower in # cases, higher in " worse + 0)
    claim("Truta 2008", "5", 0, optimal, small, "For p = 2 and 4 both find the optimal AVG (1)", "AVG 1.00 of both in # cases")
    claim("Truta 2008", "5", 0, gains, hard, "As soon as p-sensitivity is difficult EnhancedPKClustering performs better in AVG", "lower in # cases where GreedyPKClustering is above 1")
    truta_distributions()
    claim("Truta 2008", "5, 6", 0, best[1], all, "Overall GreedyPKClustering has the best IL, a close winner", \
        "run as in the paper: best of the three in # cases; with hierarchies for all in " part(best[2], all))
    claim("Truta 2008", "6", 0, alike[1], all, "All three obtain similar IL", \
        "run as in the paper: all within 25 % of one another in # cases; with hierarchies for all in " part(alike[2], all))
    claim("Truta 2008", "5", 0, local[1], all, "Global recoding will generally produce weaker results in terms of any measure: IL (AVG is above)", \
        "run as in the paper: IL of both clustering algorithms below Incognito's in # cases; with hierarchies for all in " part(local[2], all))
    truta_k_anonymity()
    claim("Truta 2008", "5, 6", 1, quickest, all, "Incognito is the fastest", "plain forms: in # cases")
    claim("Truta 2008", "5", 1, small_faster, small, "GreedyPKClustering is faster than EnhancedPKClustering for small p", "plain forms, p of 2 and 4: in # cases")
    claim("Truta 2008", "5", 1, large_faster, large, "Where p-sensitivity is more difficult EnhancedPKClustering has a slight advantage in time", "plain forms, p of 6 and more: in # cases")
    claim("Truta 2008", "5", 1, influenced, 8, "GreedyPKClustering's time is influenced by the sensitive attributes' distribution", \
        sprintf("plain form: more than 25 %% apart in # pairs of sets (UU and UN, NU and NN); p = 8: %.2f s on UU, %.2f s on UN", \
                at("truta-2008-figure4", 4, "greedy_plain_seconds"), at("truta-2008-figure5", 4, "greedy_plain_seconds")))
}

# The synthetic sets by pairs that differ in one distribution: of the quasi-identifiers (UU, NU; UN, NN),
# or of the sensitive attributes (UU, UN; NU, NN).
function truta_distributions(i, f, u, v, r, related, uniform, normal, independent) {
    for (i = 1; i <= 4; i++)
        for (f = 4; f <= 5; f++) {
            u = "truta-2008-figure" f; v = "truta-2008-figure" f + 2
            uniform += at(u, i, "il_incognito") < at(v, i, "il_incognito")
            normal += at(v, i, "il_free_greedy") < at(u, i, "il_free_greedy")
            related += !similar(at(u, i, "il_incognito"), at(v, i, "il_incognito")) + !similar(at(u, i, "il_free_greedy"), at(v, i, "il_free_greedy"))
            independent += similar(at(u, i, "il_free_enhanced"), at(v, i, "il_free_enhanced"))
            r = at(v, i, "il_free_enhanced") / at(u, i, "il_free_enhanced")
            if (!lowest_r || r < lowest_r) lowest_r = r
            if (r > highest_r) highest_r = r
            u = "truta-2008-figure" 2 * f - 4; v = "truta-2008-figure" 2 * f - 3
            influenced += !similar(at(u, i, "greedy_plain_seconds"), at(v, i, "greedy_plain_seconds"))
        }
    claim("Truta 2008", "5, 6", 0, related, 16, "IL of GreedyPKClustering and Incognito is strongly related to the quasi-identifiers' distribution", \
        "run as in the paper: more than 25 % apart in # pairs of sets (UU and NU, UN and NN)")
    claim("Truta 2008", "5", 0, uniform, 8, "Incognito's IL is better on uniform quasi-identifiers than on normal ones", "by hierarchies, as always: lower in # pairs of sets")
    claim("Truta 2008", "5", 0, normal, 8, "GreedyPKClustering's IL is better on normal quasi-identifiers", "run as in the paper: lower in # pairs of sets")
    claim("Truta 2008", "5", 0, independent, 8, "EnhancedPKClustering's IL seems to be independent of the quasi-identifiers' distribution", \
        sprintf("run as in the paper: within 25 %% in # pairs of sets; IL on normal ones is %.2f to %.2f of that on uniform ones", lowest_r, highest_r))
}

# p = 1: a set counts where both clustering algorithms are below Incognito.
function truta_k_anonymity(sets, i, n, weaker, avg, il) {
    for (i = split("adult10k uu un nu nn", sets, " "); i > 0; i--) {
        if (!ran(sets[i], "enhanced-pk", "none", 20, 1, "fast")) continue
        n++
        avg += weaker_incognito(sets[i], "avg_clusters")
        il += weaker_incognito(sets[i], "il")
        weaker += weaker_incognito(sets[i], "avg_clusters") && weaker_incognito(sets[i], "il")
    }
    claim("Truta 2008", "5", 0, weaker, n, "These facts should stand for k-anonymization as well (global recoding is weaker in any measure)", \
        "p = 1, k = 20, run as in the paper: both clustering algorithms below Incognito in AVG and IL on # sets; in AVG on " avg + 0 ", in IL on " il + 0)
}

function weaker_incognito(set, figure, theirs) {
    theirs = of(set "-hierarchy", "incognito", "none", 20, 1, "fast", figure) + 0
    return of(set, "GreedyPKClustering", "none", 20, 1, "fast", figure) + 0 < theirs && of(set, "enhanced-pk", "none", 20, 1, "fast", figure) + 0 < theirs
}

# ---- Miller, Campan, Truta 2008 ----

function miller(i, f8, f9, n, m, text) {
    f8 = "miller-2008-figure8"; f9 = "miller-2008-figure9"
    claim("Miller 2008", "5", 0, above(f8, "GreedyCKA_country", "k_member") + above(f8, "GreedyCKA_both", "k_member"), 18, \
        "Loss is generally greater with constraints", "mean IL of GreedyCKA above that of Greedy_k-member_Clustering in # cases")
    for (i = 1; i <= 9; i++) {
        text = text (i > 1 ? ", " : "") at(f8, i, "cheaper_country")
        if (i >= 7) m += at(f8, i, "GreedyCKA_country") < at(f8, i, "k_member")
    }
    claim("Miller 2008", "5", 0, m, 3, "Exceptions may occur: with native-country alone GreedyCKA lost less for k = 8, 9, 10", \
        "lower mean IL for # of these k; samples of ten in which GreedyCKA loses less, k = 2 to 10: " text)
    claim("Miller 2008", "5", 0, above(f8, "GreedyCKA_both", "GreedyCKA_country"), 9, "With boundaries on more attributes loss will generally increase", \
        "mean IL with two constrained attributes above that with one for # k")
    n = ratios(f8, "GreedyCKA_country", "k_member")
    text = sprintf("%.2f to %.2f of that without, with two", lowest, highest)
    n += ratios(f8, "GreedyCKA_both", "k_member")
    claim("Miller 2008", "abstract, 5, 6", 0, n, 18, "Loss is comparable: quality is not sacrificed to a significant extent", \
        "within 25 % in # cases; mean IL with one constrained attribute is " text sprintf(" %.2f to %.2f", lowest, highest))
    n = above(f9, "k_member_plain_seconds", "GreedyCKA_country_plain_seconds") + above(f9, "k_member_plain_seconds", "GreedyCKA_both_plain_seconds")
    ratios(f9, "k_member_plain_seconds", "GreedyCKA_country_plain_seconds")
    claim("Miller 2008", "5", 1, n, 18, "GreedyCKA will always be more efficient", \
        sprintf("plain forms: faster in # cases; with one attribute %.2f to %.2f times as fast", lowest, highest))
    n = above(f9, "GreedyCKA_country_plain_seconds", "GreedyCKA_both_plain_seconds")
    ratios(f9, "k_member_plain_seconds", "GreedyCKA_both_plain_seconds")
    claim("Miller 2008", "5", 1, n, 9, "The more constraints, the more time is saved", \
        sprintf("plain forms: two attributes faster than one for # k; %.1f to %.1f times as fast as without", lowest, highest))
    miller_quadratic()
    miller_releases()
}

# Twice the rows must take four times the time, within 25 %.
function miller_quadratic(k, n, count, r) {
    lowest = 1e300; highest = 0
    for (k = 2; k <= 10; k++) {
        if (!ran("adult8-half", "Greedy_k-member_Clustering", "count", k, 1, "plain")) continue
        n++
        r = of("adult8-both-1", "Greedy_k-member_Clustering", "count", k, 1, "plain", "seconds") / \
            of("adult8-half", "Greedy_k-member_Clustering", "count", k, 1, "plain", "seconds")
        count += similar(r, 4)
        if (r < lowest) lowest = r
        if (r > highest) highest = r
    }
    claim("Miller 2008", "5", 1, count, n, "Greedy_k-member_Clustering has O(n²) complexity", \
        n ? sprintf("plain form, 10,000 and 5,000 rows: 4 times the time within 25 %% for # k; %.1f to %.1f times", lowest, highest) : "")
}

function miller_releases(i, b, k, data, clean, optimal, numerous, least) {
    for (i = 1; i <= 10; i++)
        for (b = 0; b <= 1; b++)
            for (k = 2; k <= 10; k++) {
                data = "adult8-" (b ? "both-" : "country-") i
                clean += of(data, "GreedyCKA", "enforce", k, 1, "fast", "violations") == "0"
                if (!ran(data, "boundaries", "enforce", k, 1, "fast")) continue
                known_out++
                optimal += of(data, "GreedyCKA", "enforce", k, 1, "fast", "suppressed") == of(data, "boundaries", "enforce", k, 1, "fast", "suppressed")
            }
    for (i = 1; i <= 9; i++)
        numerous += (at("miller-2008-table1", i, "mean_country") > .01 * 10000) + (at("miller-2008-table1", i, "mean_both") > .01 * 20000)
    least = at("miller-2008-table1", 1, "mean_country")
    claim("Miller 2008", "abstract, 5, 6", 0, numerous, 18, "Greedy_k-member_Clustering violates the boundaries; its releases usually contain numerous violations", \
        sprintf("on average more than 1 %% of the values under a boundary in # cases; at least %d", least))
    claim("Miller 2008", "5", 0, clean, 180, "GreedyCKA's releases are free of violations", "none in # releases")
    claim("Miller 2008", "5", 0, optimal, known_out, "GreedyCKA takes optimal suppression decisions (Properties 5 and 6)", \
        "suppresses OUT, as `hedgerow boundaries` counts it, and nothing else in # releases")
}

# ---- Domingo-Ferrer, Sebé, Solanas 2007 ----

function domingo(i, t1, t2, same, worse, hard, groups, single, p, list, list2, of_small2, small1, small2) {
    t1 = "domingo-2007-table1"; t2 = "domingo-2007-table2"
    for (i = 1; i <= 14; i++) {
        p = at(t1, i, "p")
        if (p == 1) { same += at(t1, i, "cut") == at(t2, i, "cut"); continue }
        if (p == 10) single += (at(t1, i, "groups") == 1) + (at(t2, i, "groups") == 1)
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
    domingo_equivalent()
    claim("Domingo-Ferrer 2007", "4", 0, same, 4, "For p = 1 both algorithms give the same SSE/SST", "equal for # k")
    claim("Domingo-Ferrer 2007", "4, 5", 0, worse, hard, "For higher p Algorithm 1 is clearly worse", "higher SSE/SST for p = 3, 5, 7 in # cases")
    claim("Domingo-Ferrer 2007", "4", 0, groups, hard, "because its groups are greater on average", "fewer groups in # cases")
    claim("Domingo-Ferrer 2007", "4", 0, constant(list, "3 5 7"), 3, "Table 1 does not depend on k for p = 3, 5, 7 (10 has one k)", "one value for all k for # p")
    claim("Domingo-Ferrer 2007", "4", 0, small1, 10, "because the smallest group that Algorithm 1 makes has at least 10 rows", "in # cases with p > 1")
    claim("Domingo-Ferrer 2007", "4", 0, constant(list2, "5 7"), 2, "Table 2 does not depend on k for p = 5, 7 (10 has one k)", "one value for all k for # p")
    claim("Domingo-Ferrer 2007", "4", 0, small2, of_small2, "because the smallest group has at least 10 rows there too", "in # cases with p of 5 and more")
    claim("Domingo-Ferrer 2007", "4", 0, single, 2, "For p = 10 both yield a single group", "one group, SSE/SST 100 %, of # algorithms")
    domingo_growth(t1, t2)
}

# For p = 1 each algorithm beside the one that it is said to be: the same loss and as many groups.
function domingo_equivalent(i, k, n, same) {
    for (i = split("3 5 7 10", k, " "); i > 0; i--) {
        if (!ran("census", "mdav", "none", k[i], 1, "fast")) continue
        n += 2
        same += same_run("micro-k-first", "mdav", k[i]) + same_run("micro-p-first", "cbfs", k[i])
    }
    claim("Domingo-Ferrer 2007", "4", 0, same, n, "For p = 1 Algorithm 1 is equivalent to MDAV and Algorithm 2 to CBFS", \
        "our `micro-k-first` and `mdav`, `micro-p-first` and `cbfs`: the same SSE/SST and groups in # cases")
}

function same_run(a, b, k) {
    return of("census", a, "none", k, 1, "fast", "sse_sst") == of("census", b, "none", k, 1, "fast", "sse_sst") && \
        of("census", a, "none", k, 1, "fast", "clusters") == of("census", b, "none", k, 1, "fast", "clusters")
}

function domingo_growth(t1, t2, t, i, n, smooth, up, table, theirs) {
    for (t = 1; t <= 2; t++)
        for (i = 1; i <= 14; i++) {
            if (at(t1, i, "k") == 3 || !next_row(t1, i, "k", "p", 1)) continue # k = 3 has one step
            n++
            table = t == 1 ? t1 : t2
            smooth += is_smooth(table, i, "sse_sst_percent")
            up += at(table, next_row(table, i, "k", "p", 1), "sse_sst_percent") > at(table, i, "sse_sst_percent")
        }
    claim("Domingo-Ferrer 2007", "abstract, 5", 0, smooth, n, "Loss increases smoothly as p grows", \
        sprintf("both algorithms, k of 5 and more: higher, but per unit of p not more than 25 %% steeper than on average for that k, in # steps to the next p; higher in %s, the steepest %.1f times the average", \
                part(up, n), steepest))
    steps = rises = falls = 0
    walk(t1, "printed", "p", "k"); walk(t2, "printed", "p", "k")
    theirs = part(rises, steps)
    steps = rises = falls = 0
    walk(t1, "sse_sst_percent", "p", "k"); walk(t2, "sse_sst_percent", "p", "k")
    claim("Domingo-Ferrer 2007", "abstract", 0, rises, steps, "Loss increases smoothly as k grows", \
        "both algorithms: higher in # steps to the next k, lower in " falls + 0 "; in the paper's own tables higher in " theirs)
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
