"""Another implementation of the models agrees with the figures of releases."""

import pytest

import hedgerow

anonymity = pytest.importorskip("pycanon.anonymity")

QUASI = ["age", "sex", "zip"]


def people(rows, seed):
    import random

    import pandas

    draw = random.Random(seed)
    return pandas.DataFrame(
        {
            "age": [draw.randint(18, 80) for _ in range(rows)],
            "sex": [draw.choice("fm") for _ in range(rows)],
            "zip": [f"{draw.choice('1238')}{draw.randint(0, 99):02}" for _ in range(rows)],
            "illness": [draw.choice(["flu", "flu", "asthma", "cancer", "none"]) for _ in range(rows)],
        }
    )


@pytest.mark.parametrize("seed", range(20))
def test_figures_agree(seed):
    job = {
        "model": {"k": 2 + seed % 5, "p": 1 + seed % 3, "alpha": 0.9 if seed % 2 else 0.75},
        "attributes": {
            "age": {"role": "quasi", "type": "numeric"},
            "sex": {"role": "quasi", "hierarchy": "flat"},
            "zip": {"role": "quasi", "hierarchy": {"prefix": [2, 1]}, "boundary": {"level": 2}},
            "illness": {"role": "sensitive"},
        },
    }
    release = hedgerow.anonymize(people(150 + 10 * seed, seed), job, effort="quick", threads=1)
    table = release.table.astype(str)
    k = anonymity.k_anonymity(table, QUASI)
    assert k == release.achieved("k") == release.figures["achieved_k"] >= job["model"]["k"]
    assert anonymity.l_diversity(table, QUASI, ["illness"]) == release.achieved("p")
    alpha, alpha_k = anonymity.alpha_k_anonymity(table, QUASI, ["illness"])
    assert alpha_k == k and alpha == pytest.approx(release.achieved("alpha"), abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_t_closeness_agrees(seed):
    job = {
        "model": {"k": 4, "t": 0.5},
        "attributes": {
            "age": {"role": "quasi", "type": "numeric"},
            "sex": {"role": "quasi", "hierarchy": "flat"},
            "zip": {"role": "quasi", "hierarchy": {"prefix": [2, 1]}},
            "illness": {"role": "sensitive"},
        },
    }
    release = hedgerow.anonymize(people(200, seed), job, effort="quick", threads=1)
    t = anonymity.t_closeness(release.table.astype(str), QUASI, ["illness"])
    assert t == pytest.approx(release.achieved("t"), abs=1e-12) and t <= 0.5 + 1e-12
