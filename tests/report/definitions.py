"""definitions.py COMMAND - figures of the report, computed again from the input and the release.

Random tables are anonymized; what the report says of levels, distributions, risk, association and
class sizes must be what the definitions in docs/reference/measures.md give. The code here shares nothing with
the library. It needs the standard library of Python alone.
"""

import csv
import json
import math
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

TREE = {  # leaf: path to the root; two leaves that no row has
    "A1": ["A", "*"], "A2": ["A", "*"], "A3": ["A", "*"], "B1": ["B", "*"], "B2": ["B", "*"],
    "C1": ["C", "*"], "C2": ["C", "*"], "C9": ["C", "*"],
}
BINS = 20
failures = 0


def near(what, actual, expected, tolerance=1e-9):
    global failures
    same = actual == expected or (
        actual is not None and expected is not None and abs(actual - expected) <= tolerance
    )
    if not same:
        failures += 1
        print(f"FAILED {what}: {actual}, expected {expected}")


def make_rows(rng, count):
    rows = []
    for i in range(count):
        place = rng.choice(["A1", "A1", "A2", "A3", "B1", "B2", "C1"])
        age = rng.randint(0, 70) if place[0] != "B" else rng.randint(40, 90)
        pay = 100 * age + rng.randint(0, 900)
        ill = rng.choice("uvwxyz" if age > 45 else "uvw")
        rows.append({"id": f"ID{i}", "place": place, "age": str(age), "sex": rng.choice("FM"),
                     "ill": ill, "pay": str(pay), "ward": rng.choice(["n", "s", "w"])})
    return rows


def write_job(folder, k, p, extra):
    (folder / "place.csv").write_text("".join(";".join([leaf, *up]) + "\n" for leaf, up in TREE.items()))
    (folder / "job.yaml").write_text(
        f"input: in.csv\noutput: out.csv\nreport: [r.json]\nmodel: {{k: {k}, p: {p}}}\neffort: quick\n"
        "study: [[age, pay], [place, ill], [sex, ward], [age, place], [ill, pay]]\n"
        "attributes:\n  id: {role: identifier}\n"
        f"  place: {{role: quasi, hierarchy: place.csv{extra}}}\n"
        "  age: {role: quasi, type: numeric}\n  sex: {role: quasi, hierarchy: flat}\n"
        "  ill: {role: sensitive}\n  pay: {role: sensitive, bins: 6}\n  ward: {role: keep}\n"
    )


# ---- what published values stand for ----

def spread_place(value):
    covered = [leaf for leaf, up in TREE.items() if value == leaf or value in up]
    return {leaf: 1 / len(covered) for leaf in covered}


def spread_flat(values):
    def spread(value):
        return {v: 1 / len(values) for v in values} if value == "*" else {value: 1}
    return spread


def spread_age(least, most):
    points = most - least + 1
    bins = min(BINS, points)
    starts = [-(-b * points // bins) for b in range(bins + 1)]

    def bin_of(age):
        return max(b for b in range(bins) if starts[b] <= age - least)

    def spread(value):
        lo, _, hi = value.partition("..")
        ages = range(int(lo), int(hi or lo) + 1)
        return {b: n / len(ages) for b, n in Counter(map(bin_of, ages)).items()}
    return spread


def middle(value):
    lo, _, hi = value.partition("..")
    return (float(lo) + float(hi or lo)) / 2


def bins_of_pay(rows):
    numbers = [int(r["pay"]) for r in rows]
    least, most = min(numbers), max(numbers)
    return lambda value: {min(5, int((int(value) - least) / (most - least) * 6)): 1}


# ---- measures ----

def table_of(rows, a, b, spreads):
    table = Counter()
    for row in rows:
        for x, u in spreads[a](row[a]).items():
            for y, v in spreads[b](row[b]).items():
                table[x, y] += u * v
    return table


def cramers_v(table, corrected):
    n = sum(table.values())
    left, right = Counter(), Counter()
    for (x, y), count in table.items():
        left[x] += count
        right[y] += count
    if len(left) < 2 or len(right) < 2:
        return None
    chi = sum((table[x, y] - left[x] * right[y] / n) ** 2 / (left[x] * right[y] / n)
              for x in left for y in right)
    phi, r, c = chi / n, len(left), len(right)
    if not corrected:
        return math.sqrt(phi / (min(r, c) - 1))
    phi = max(0, phi - (r - 1) * (c - 1) / (n - 1))
    r, c = r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)
    return math.sqrt(phi / (min(r, c) - 1))


def correlation(pairs):
    n = len(pairs)
    mx, my = sum(x for x, _ in pairs) / n, sum(y for _, y in pairs) / n
    sxy = sum((x - mx) * (y - my) for x, y in pairs)
    sxx, syy = sum((x - mx) ** 2 for x, _ in pairs), sum((y - my) ** 2 for _, y in pairs)
    return sxy / math.sqrt(sxx * syy) if sxx > 0 and syy > 0 else None


def variation(before, after, name, spread):
    shares = []
    for rows in (before, after):
        count = Counter()
        for row in rows:
            for x, u in spread(row[name]).items():
                count[x] += u / len(rows)
        shares.append(count)
    return sum(abs(shares[0][x] - shares[1][x]) for x in set(shares[0]) | set(shares[1])) / 2


def check_risk(what, said, rows):
    sizes = Counter(tuple(row[c] for c in ("place", "age", "sex")) for row in rows)
    near(f"{what}: largest risk", said["prosecutor"], 1 / min(sizes.values()))
    near(f"{what}: mean risk", said["average"], len(sizes) / len(rows))
    for threshold in ("0.2", "0.09", "0.05"):
        above = sum(n for n in sizes.values() if 1 / n > float(threshold))
        near(f"{what}: above {threshold}", said["rows_above"][threshold], above / len(rows))
    if "unique" in said:
        near(f"{what}: unique", said["unique"], sum(n == 1 for n in sizes.values()))


def level_of_place(value):
    return 0 if value in TREE else 2 if value == "*" else 1


def check_levels(said, after):
    count = Counter(level_of_place(row["place"]) for row in after)
    for level, entry in enumerate(said):
        near(f"rows of place at level {level}", entry["rows"], count[level])


def check(command, folder, seed):
    rng = random.Random(seed)
    before = make_rows(rng, rng.randint(60, 400))
    with open(folder / "in.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, before[0].keys())
        writer.writeheader()
        writer.writerows(before)
    write_job(folder, rng.randint(2, 8), rng.randint(1, 3), rng.choice(["", ", boundary: {level: 1}"]))
    run = subprocess.run([command, "anonymize", str(folder / "job.yaml"), "--quiet"], capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"seed {seed}: {run.stderr}")
    report = json.loads((folder / "r.json").read_text())
    after = list(csv.DictReader(open(folder / "out.csv", newline="")))
    ages = [int(r["age"]) for r in before]
    spreads = {"place": spread_place, "age": spread_age(min(ages), max(ages)),
               "sex": spread_flat(sorted({r["sex"] for r in before})), "pay": bins_of_pay(before),
               "ill": lambda v: {v: 1}, "ward": lambda v: {v: 1}}
    attributes = {a["name"]: a for a in report["per_attribute"]}
    for name in ("place", "age", "sex"):
        near(f"seed {seed}: total variation of {name}", attributes[name]["total_variation"],
             variation(before, after, name, spreads[name]))
    check_levels(attributes["place"]["levels"], after)
    check_risk(f"seed {seed}, after", report["risk"], after)
    check_risk(f"seed {seed}, before", report["risk"]["before"], before)
    for pair in report["utility"]["study"]:
        a, b = pair["columns"]
        for when, rows in (("before", before), ("after", after)):
            table = table_of(rows, a, b, spreads)
            near(f"seed {seed}: V of {a}, {b} {when}", pair["cramers_v"][when], cramers_v(table, False))
            near(f"seed {seed}: corrected V of {a}, {b} {when}", pair["cramers_v_corrected"][when],
                 cramers_v(table, True))
            if (a, b) == ("age", "pay"):
                numbers = [(middle(r["age"]), float(r["pay"])) for r in rows]
                near(f"seed {seed}: correlation {when}", pair["correlation"][when], correlation(numbers))
            else:
                near(f"seed {seed}: no correlation of {a}, {b}", pair["correlation"][when], None)


# ---- attributes with many values ----

def wide_tree():
    """Two levels: G0 to G6 with six leaves each; rows have none of the last leaves of G4, none of G6."""
    return {f"L{i:02}": [f"G{i // 6}", "*"] for i in range(42)}


def check_groups(command, folder, seed):
    """Groups are the nodes of a level, with all leaves below them; or, if all levels above have fewer
    than three nodes, the most frequent nodes and all others."""
    rng = random.Random(seed)
    tree = wide_tree()
    towns = {f"T{i:02}": ["North" if i % 2 else "South", "*"] for i in range(30)}
    (folder / "code.csv").write_text("".join(";".join([leaf, *up]) + "\n" for leaf, up in tree.items()))
    (folder / "town.csv").write_text("".join(";".join([leaf, *up]) + "\n" for leaf, up in towns.items()))
    before = [{"code": f"L{rng.choice([*range(26), *range(30, 34)]):02}", "town": f"T{min(29, int(rng.expovariate(0.15))):02}",
               "ill": rng.choice("uvw")} for _ in range(300)]
    with open(folder / "in.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, before[0].keys())
        writer.writeheader()
        writer.writerows(before)
    run = subprocess.run([command, "anonymize", "in.csv", "--quasi", "code,town", "--hierarchy", "code=code.csv", "--hierarchy",
                          "town=town.csv", "--boundary", "code=level:1", "--boundary", "town=level:1", "-k", "9", "--effort", "quick",
                          "-o", "out.csv", "--trace", "trace.csv", "--report", "r.json", "--report", "r.html", "--quiet"],
                         capture_output=True, text=True, cwd=folder)
    if run.returncode:
        raise SystemExit(f"groups, seed {seed}: {run.stderr}")
    report = json.loads((folder / "r.json").read_text())
    after = list(csv.DictReader(open(folder / "out.csv", newline="")))
    kept = [row["status"] == "kept" for row in csv.DictReader(open(folder / "trace.csv", newline=""))]
    ranked = sorted(Counter(r["town"] for r in before).items(), key=lambda item: (-item[1], item[0]))
    named = [town for town, _ in ranked[:19]]
    others = f"({len(ranked) - 19} others)"

    def group(name, leaf):
        if name == "code":
            return tree[leaf][0] if tree[leaf][0] != "G6" else "unseen"
        return leaf if leaf in named else others if leaf in dict(ranked) else "unseen"

    def spread(name, paths):
        def shares(value):
            below = [leaf for leaf, up in paths.items() if value == leaf or value in up]
            return {g: n / len(below) for g, n in Counter(group(name, leaf) for leaf in below).items()}
        return shares

    if len(ranked) <= 20:
        raise SystemExit(f"groups, seed {seed}: too few towns occur")
    for name, paths in (("code", tree), ("town", towns)):
        said = next(a for a in report["per_attribute"] if a["name"] == name)["total_variation"]
        near(f"groups, seed {seed}: total variation of {name}", said, variation(before, after, name, spread(name, paths)))
        rows = Counter(group(name, r[name]) for r in before)
        gone = Counter(group(name, r[name]) for r, k in zip(before, kept) if not k)
        values = next((s for s in report["suppressed_by"] if s["name"] == name), {"values": []})["values"]
        found = {v["value"]: (v["rows"], v["suppressed"]) for v in values}
        near(f"groups, seed {seed}: suppressed by {name}", found == {g: (rows[g], gone[g]) for g in gone}, True)


for seed in range(6):
    with tempfile.TemporaryDirectory() as name:
        check_groups(sys.argv[1], Path(name), seed)
for seed in range(12):
    with tempfile.TemporaryDirectory() as name:
        check(sys.argv[1], Path(name), seed)
print("ok" if not failures else f"{failures} failures")
sys.exit(failures > 0)
