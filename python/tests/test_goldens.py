"""The example jobs with the settings of the golden tests: the command's release, from every container."""

import subprocess
import sys
import warnings

import pytest

import hedgerow
from conftest import ROOT, containers

JOBS = {"patients": "patients.csv", "locations": "locations.csv", "survey": "survey.csv"}
SETTINGS = [
    {},
    {"algorithm": "incognito"},
    {"algorithm": "incognito", "boundaries": "count"},
    {"algorithm": "mam"},
    {"algorithm": "greedy-pk", "order": "input"},
    {"algorithm": "k-member", "p": 1, "order": "shuffle", "seed": 5},
    {"k": 2, "p": 1, "boundaries": "count"},
    {"k": 4, "p": 1},
    {"k": 100},
]


def command(job, output, settings):
    flags = [f"--{key}={value}" for key, value in settings.items() if key not in "kp"]
    for key in "kp":
        if key in settings:
            flags += [f"-{key}", str(settings[key])]
    arguments = [sys.executable, "-m", "hedgerow", "anonymize", job, "-o", output, "--quiet", *flags]
    return subprocess.run(arguments, capture_output=True, text=True)


@pytest.mark.parametrize("name", JOBS)
def test_releases(name, tmp_path):
    folder = ROOT / "examples" / name
    job, compared = folder / f"{name}.yaml", 0
    tables = {kind: read(folder / JOBS[name]) for kind, read in containers().items() if kind != "reader"}
    for settings in SETTINGS:
        expected, actual = tmp_path / "expected.csv", tmp_path / "actual.csv"
        ended = command(job, expected, settings)
        for kind, table in {None: None, **tables}.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if ended.returncode:
                    with pytest.raises(hedgerow.Error) as caught:
                        hedgerow.anonymize(table, job, **settings)
                    assert str(caught.value) in ended.stderr
                    continue
                release = hedgerow.anonymize(table, job, **settings)
            release._made.table.write(str(actual))
            assert actual.read_bytes() == expected.read_bytes(), (settings, kind)
            compared += 1
    assert compared >= 24
