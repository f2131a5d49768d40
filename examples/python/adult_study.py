"""adult_study.py FOLDER [ROWS] - what does anonymization cost an analysis?

FOLDER has adult.csv and hierarchies/. A logistic regression predicts income from six
quasi-identifiers: as they are, and as releases have them, within boundaries that suppress at most
2 % of the rows if k = 50. Each figure is the mean of five folds of
the same release, in which every released text is a category. Prints a table.
"""

import sys
from pathlib import Path

import pandas
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import hedgerow

QUASI = ["age", "education-num", "marital-status", "race", "sex", "workclass"]


def job(folder):
    attributes = {
        name: {"role": "quasi", "hierarchy": str(folder / "hierarchies" / f"{name}.csv")} for name in QUASI
    }
    return {"attributes": {**attributes, "income": {"role": "sensitive"}}}


def with_boundaries(people, described):
    """The job with boundaries that suppress at most 2 % of the rows if k = 50."""
    levels = hedgerow.boundaries(people, described, k=50, suggest=0.02)[0]["levels"]
    for name, level in levels.items():
        described["attributes"][name]["boundary"] = {"level": level}
    return described


def scores(table):
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression(max_iter=300))
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    rich = (table["income"].astype(str) == ">50K").to_numpy()
    found = cross_validate(model, table[QUASI].astype(str), rich, cv=folds, scoring=["accuracy", "roc_auc"])
    return found["test_accuracy"].mean(), found["test_roc_auc"].mean()


def main(folder, rows=None):
    people = pandas.read_csv(folder / "adult.csv", dtype=str)[QUASI + ["income"]]
    if rows:
        people = people.sample(rows, random_state=1)
    print("| data | k | information loss | suppressed | accuracy | area under ROC |")
    print("|---|---|---|---|---|---|")
    accuracy, area = scores(people)
    most = people["income"].value_counts(normalize=True).iloc[0]
    print(f"| always the more frequent answer | | | | {most:.3f} | 0.500 |")
    print(f"| original | | 0 | 0 | {accuracy:.3f} | {area:.3f} |", flush=True)
    described = with_boundaries(people, job(folder))
    for algorithm in ("hedge", "mam", "incognito"):
        for k in (5, 10, 50):
            release = hedgerow.anonymize(people, described, k=k, algorithm=algorithm)
            accuracy, area = scores(release.table)
            print(
                f"| {algorithm} | {k} | {release.loss:.3f} | {release.suppressed} | {accuracy:.3f} | {area:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None)
