#!/usr/bin/env bash
# adult.sh TREE [ADULT] - test tools/adult on raw files in the form of the UCI Machine Learning Repository.
#
# First a few rows written by hand. Then the Adult data in the folder ADULT is turned back into raw files,
# with rows that have missing values in between; tools/adult must give the original files, byte for byte.
# Without the Adult data the second part is skipped (77).
set -euo pipefail
export LC_ALL=C
tree=$1
adult=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/raw"
cat >"$work/raw/adult.data" <<'EOF'
39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, United-States, <=50K
54, ?, 180211, Some-college, 10, Married-civ-spouse, ?, Husband, Asian-Pac-Islander, Male, 0, 0, 60, South, >50K
28, Private, 338409, Bachelors, 13, Married-civ-spouse, Prof-specialty, Wife, Black, Female, 0, 0, 40, ?, <=50K
31, Private, 45781, Masters, 14, Never-married, Prof-specialty, Not-in-family, White, Female, 14084, 0, 50, United-States, >50K

EOF
cat >"$work/raw/adult.test" <<'EOF'
|1x3 Cross validator
25, Private, 226802, 11th, 7, Never-married, Machine-op-inspct, Own-child, Black, Male, 0, 0, 40, United-States, <=50K.
18, ?, 103497, Some-college, 10, Never-married, ?, Own-child, White, Female, 0, 0, 30, United-States, <=50K.

EOF
"$tree/tools/adult" "$work/raw" "$work/out" 2>"$work/stderr"
grep -q 'adult.csv: 3 rows' "$work/stderr"
grep -q 'the papers have 45222 rows' "$work/stderr"
tr -d '\r' <"$work/out/adult.csv" >"$work/rows"
diff - "$work/rows" <<'EOF'
age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,capital-gain,capital-loss,hours-per-week,native-country,income
39,State-gov,77516,Bachelors,13,Never-married,Adm-clerical,Not-in-family,White,Male,2174,0,40,United-States,<=50K
31,Private,45781,Masters,14,Never-married,Prof-specialty,Not-in-family,White,Female,14084,0,50,United-States,>50K
25,Private,226802,11th,7,Never-married,Machine-op-inspct,Own-child,Black,Male,0,0,40,United-States,<=50K
EOF

# Blanks before the first field and tabs after commas are dropped.
mkdir "$work/blank"
sed 's/^\([0-9]\)/ \1/; s/, /,\t/g' "$work/raw/adult.data" >"$work/blank/adult.data"
cp "$work/raw/adult.test" "$work/blank"
"$tree/tools/adult" "$work/blank" "$work/blank/out" 2>/dev/null
cmp "$work/out/adult.csv" "$work/blank/out/adult.csv"

# refused FOLDER MESSAGE - tools/adult must fail on the folder, print the message and leave no file
refused() {
    if "$tree/tools/adult" "$work/$1" "$work/$1/out" 2>"$work/stderr"; then
        echo "$1 was accepted" >&2
        exit 1
    fi
    grep -q "$2" "$work/stderr"
    [ ! -e "$work/$1/out/adult.csv" ]
}
mkdir "$work/empty" "$work/cut"
cp "$work/raw/adult.data" "$work/empty"
echo "|1x3 Cross validator" >"$work/empty/adult.test"
refused empty 'adult.test has no rows'
cp "$work/raw/adult.data" "$work/cut"
sed -n 2p "$work/raw/adult.test" | tr -d '\n' | sed 's/0K\.$//' >"$work/cut/adult.test"
refused cut 'adult.test, line 1: the last field is not an income'

# A line with too few fields is refused; the message has its line number, and no file is left.
echo "25, Private" >>"$work/raw/adult.test"
if "$tree/tools/adult" "$work/raw" "$work/refused" 2>"$work/stderr"; then
    echo "a line of two fields was accepted" >&2
    exit 1
fi
grep -q 'adult.test, line 5: 2 fields instead of 15' "$work/stderr"
if [ -e "$work/refused/adult.csv" ]; then
    echo "a refused file left adult.csv" >&2
    exit 1
fi

if [ ! -r "$adult/adult.csv" ]; then
    echo "skipped: the Adult data is absent; the rows written by hand came out right"
    exit 77
fi
mkdir "$work/whole"
tr -d '\r' <"$adult/adult.csv" | awk -F, -v OFS=', ' -v folder="$work/whole" '
    NR == 1 { next }
    { $1 = $1
      file = folder "/" (NR <= 30163 ? "adult.data" : "adult.test")
      if (NR == 30164) print "|1x3 Cross validator" >file
      if (NR > 30163) $15 = $15 "."
      print >file
      if (NR % 13 == 0) { $2 = "?"; print >file } }
    END { print "" >(folder "/adult.data"); print "" >(folder "/adult.test") }'
"$tree/tools/adult" "$work/whole" "$work/again"
cmp "$adult/adult.csv" "$work/again/adult.csv"
diff -r "$adult/hierarchies" "$work/again/hierarchies"
