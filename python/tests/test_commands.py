"""Every command through the package."""

import decimal
import importlib.metadata

import numpy
import pandas
import polars
import pyarrow
import pytest

import hedgerow


def test_check(patients):
    job = patients / "patients.yaml"
    good = hedgerow.check(patients / "masked3.csv", job, original=patients / "patients.csv")
    assert good and good.reasons == [] and good.unjudged == []
    assert any("original" in line for line in hedgerow.check(patients / "masked3.csv", job).unjudged)
    bad = hedgerow.check(patients / "masked1.csv", job)
    assert not bad and "Diagnosis" in bad.reasons[0]
    assert "no" in repr(bad)
    table = pyarrow.table(hedgerow.read(patients / "masked3.csv"))
    original = pyarrow.table(hedgerow.read(patients / "patients.csv"))
    assert hedgerow.check(table, job, original=original)


def test_boundaries(patients):
    prices = hedgerow.boundaries(job=patients / "patients.yaml", k=[3, 4], p=[1, 2])
    assert len(prices) == 4
    assert prices.suppressed(3, 2) == 0 and prices.suppressed(4, 1) == 3
    assert prices[0]["k"] == 3 and "suppressed" in prices.text
    with pytest.raises(KeyError):
        prices.suppressed(7)
    assert "background" in prices._repr_html_()


def test_compare(patients, tmp_path):
    runs = hedgerow.compare(job=patients / "patients.yaml", algorithms=["hedge", "k-member"], k=[3], p=[1, 2])
    assert len(runs) == 4
    empty = [run for run in runs if run["state"] == "empty"]
    assert len(empty) == 1 and "k-member" in empty[0]["note"]
    assert runs.to_html().startswith("<!")
    shown = runs._repr_html_()
    assert "<td>hedge</td>" in shown and "★" in shown
    assert shown.count("k-member does not enforce") == 1


def test_hierarchies(patients, tmp_path):
    tree = hedgerow.hierarchy(patients / "hierarchies" / "age.csv")
    assert "0-99" in tree.show() and tree.rows()[0][-1] == "0-99"
    zips = pyarrow.table({"zip": ["80331", "80335", "20095"]})
    built = hedgerow.hierarchy({"prefix": [3]}, zips, "zip")
    assert built.levels[1] == "prefix 3" and built.leaves == 3
    assert {"803*", "200*"} <= {node["label"] for node in built.nodes()}
    built.write(tmp_path / "zip.csv")
    assert hedgerow.hierarchy(tmp_path / "zip.csv").rows() == built.rows()
    marked = built.nodes(boundary="level:1", data=zips, column="zip")
    assert sum(node["rows"] for node in marked if node["boundary"]) == 3
    mapping = hedgerow.hierarchy({"Ulm": ["South", "*"], "Bonn": ["West", "*"]})
    assert mapping.rows()[0] == ["Ulm", "South", "*"]
    with pytest.raises(hedgerow.InputError, match="equally many"):
        hedgerow.hierarchy({"Ulm": ["South", "*"], "Bonn": ["*"]})


def test_hierarchies_of_series_and_frames():
    texts = ["80331", "80335", "20095"]
    frame = pandas.DataFrame({"id": [1, 2, 3], "zip": texts})
    for values in (frame["zip"], pandas.Series(texts), polars.Series("zip", texts)):
        assert hedgerow.hierarchy({"prefix": [3]}, values).rows()[0] == ["20095", "200*", "*"]
    assert hedgerow.hierarchy("prefix: [3]", frame, "zip").leaves == 3
    with pytest.raises(hedgerow.InputError, match="2 columns: give column=NAME"):
        hedgerow.hierarchy({"prefix": [3]}, frame)
    levels = pandas.DataFrame({"town": ["Ulm", "Bonn"], "part": ["South", "West"], "all": ["*", "*"]})
    tree = hedgerow.hierarchy(levels)
    assert tree.rows() == [["Ulm", "South", "*"], ["Bonn", "West", "*"]]
    assert "South" in tree.show() and "South" in tree._repr_html_()
    html = hedgerow.hierarchy({"prefix": [3, 2]}, frame["zip"])._repr_html_()
    assert html.count("<details") == html.count("</details>") == 5 and html.count('class="leaf"') == 3
    with pytest.raises(hedgerow.InputError, match="no column 'zop'"):
        hedgerow.hierarchy({"prefix": [3]}, frame, "zop")


def test_generate(tmp_path):
    path, jobs = hedgerow.generate("patients", tmp_path, rows=50, language="de", visits=True)
    with open(path, encoding="utf-8") as file:
        assert file.readline().startswith("Fallnummer,Patientennummer")
    with pytest.raises(hedgerow.InputError, match="exists"):
        hedgerow.generate("patients", tmp_path, rows=50)
    hedgerow.generate("patients", tmp_path, rows=50, replace=True)
    with pytest.raises(hedgerow.InputError, match="language"):
        hedgerow.generate("patients", tmp_path / "other", rows=50, language="fr")


def test_job_with_hierarchies_in_memory():
    table = pyarrow.table({"town": ["Ulm", "Ulm", "Bonn"], "flu": ["y", "n", "y"]})
    towns = {"Ulm": ["South", "*"], "Bonn": ["West", "*"]}
    job = {
        "model": {"k": 3},
        "attributes": {"town": {"role": "quasi", "hierarchy": towns}, "flu": {"role": "sensitive"}},
    }
    assert hedgerow.anonymize(table, job).table["town"].to_pylist() == ["*"] * 3
    frame = pyarrow.table({"leaf": ["Ulm", "Bonn"], "root": ["*", "*"]})
    release = hedgerow.anonymize(table, quasi=["town"], sensitive=["flu"], hierarchy={"town": frame}, k=3)
    assert release.achieved("k") == 3.0
    release = hedgerow.anonymize(table, quasi="town", sensitive="flu", hierarchy={"town": {"prefix": [1]}}, k=3)
    assert release.measure("ntil") == release.loss


def test_keywords_override(patients):
    release = hedgerow.anonymize(job=patients / "patients.yaml", k=2, algorithm="mam")
    assert release.figures["k"] == 2
    assert release.report["algorithm"] == "mam"
    with pytest.raises(hedgerow.InputError, match="did you mean"):
        hedgerow.anonymize(job=patients / "patients.yaml", algoritm="mam")


def test_release(patients):
    release = hedgerow.anonymize(job=patients / "patients.yaml")
    assert release.classes == 3 and release.suppressed == 0
    assert release.bound <= release.loss
    assert len(release.row_classes) == 9 and max(release.row_classes) == 2
    assert sorted(release.row_places) == list(range(9))
    assert "9 of 9 rows" in repr(release)
    part = release._repr_html_()
    assert "Age" in part and "<svg" in part
    style = part[part.index("<style>") + 7 : part.index("</style>")]
    rules = [rule.rpartition("{")[0] for rule in style.split("}")]
    selectors = [one.split("{")[-1].strip() for rule in rules if rule.strip() for one in rule.split(",")]
    assert len(selectors) > 50 and all(one.startswith(".hedgerow") for one in selectors), selectors
    assert release.report["rows"]["released"] == 9


def test_lists():
    names = {entry["name"] for entry in hedgerow.list("algorithms")}
    assert {"hedge", "mam"} <= names
    assert any(key["name"] == "max-suppressed" and key["type"] == "real" for key in hedgerow.keys())
    with pytest.raises(hedgerow.InputError):
        hedgerow.list("nonsense")


def test_licences():
    """The wheel has the licences of the libraries in it."""
    names = {path.name for path in importlib.metadata.files("hedgerow") if "licenses" in path.parts}
    assert {"LICENSE", "libjansson.txt", "libyaml.txt", "libzstd.txt"} <= names


def test_errors(tmp_path, patients):
    with pytest.raises(hedgerow.InputOutputError) as caught:
        hedgerow.anonymize(tmp_path / "absent.csv", quasi="a", numeric="a", k=2)
    assert isinstance(caught.value, OSError)
    with pytest.raises(hedgerow.InfeasibleError):
        hedgerow.anonymize(job=patients / "patients.yaml", k=100)
    with pytest.raises(ValueError):
        hedgerow.anonymize(job=patients / "patients.yaml", k=0)
    with pytest.raises(TypeError, match="a job is a dict"):
        hedgerow.anonymize(job=7)


def test_init(tmp_path):
    path, _ = hedgerow.generate("patients", tmp_path, rows=300)
    draft = hedgerow.init(path)
    assert draft["input"] == path and draft["model"] == {"k": 5, "p": 2}
    assert draft["attributes"]["name"] == {"role": "identifier"}
    assert draft.columns[0]["reason"] and draft.text.startswith("# A draft")
    release = hedgerow.anonymize(job=draft)
    assert release.suppressed == 0 and hedgerow.check(release.table, draft)
    table = pyarrow.table(hedgerow.read(path))
    again = hedgerow.init(table, k=7)
    assert "input" not in again and again["model"]["k"] == 7
    assert again["attributes"] == draft["attributes"]
    assert hedgerow.anonymize(table, again).achieved("k") >= 7
    assert "identifier" in again._repr_html_()
    with pytest.raises(hedgerow.InputError, match="k is a number"):
        hedgerow.init(table, k=1000)


def test_init_decimal_comma(tmp_path):
    rows = [f"{20 + i % 50};{1000 + i},{i % 10};{'fm'[i % 2]}" for i in range(100)]
    (tmp_path / "pay.csv").write_text("Alter;Gehalt;Geschlecht\n" + "\n".join(rows) + "\n")
    draft = hedgerow.init(tmp_path / "pay.csv")
    assert draft["decimal"] == "," and draft["attributes"]["Gehalt"]["bins"] == 8
    assert hedgerow.anonymize(job=draft).suppressed == 0


def test_suggest(patients):
    job = patients / "patients.yaml"
    suggestion = hedgerow.boundaries(job=job, suggest=0.4)
    assert suggestion.figures["rows"] == 9 and suggestion.figures["budget"] == 3
    assert suggestion[0]["suppressed"] <= 3 and set(suggestion[0]["levels"]) >= {"Age"}
    assert "Age" in suggestion._repr_html_() and repr(suggestion) == suggestion.text
    assert all(pair["suppressed"] <= 3 for pair in suggestion.frontier)
    assert hedgerow.boundaries(job=job, suggest=0.4, k=2).figures["k"] == 2
    with pytest.raises(hedgerow.InputError):
        hedgerow.boundaries(job=job, suggest=7)


def test_lost_rows(patients):
    lost = hedgerow.boundaries(job=patients / "patients.yaml", k=4, p=1)[0]["lost"]
    ages = [value for value in lost if value["column"] == "Age"]
    assert sum(value["lost"] for value in ages) == 3 and sum(value["rows"] for value in ages) == 9
    release = hedgerow.anonymize(job=patients / "patients.yaml", k=4, p=1)
    assert release.lost == lost and release.suppressed == 3


def test_trace_resolved_and_page(patients, tmp_path):
    release = hedgerow.anonymize(job=patients / "patients.yaml", k=4, p=1, trace=tmp_path / "trace.csv")
    trace = pyarrow.table(release.trace)
    release.trace.write(str(tmp_path / "memory.csv"))
    assert (tmp_path / "memory.csv").read_bytes() == (tmp_path / "trace.csv").read_bytes()
    original = pyarrow.table(hedgerow.read(patients / "patients.csv"))
    job = patients / "patients.yaml"
    assert hedgerow.check(release.table, job, original=original, trace=trace, k=4, p=1)
    kept = iter([out for out in trace["out"].to_pylist() if out][::-1])
    turned = [out and next(kept) for out in trace["out"].to_pylist()]
    shifted = trace.set_column(4, "out", [turned])
    assert not hedgerow.check(release.table, job, original=original, trace=shifted, k=4, p=1)
    with pytest.raises(hedgerow.InputError, match="is not a trace"):
        hedgerow.check(release.table, job, original=original, trace=original)
    (tmp_path / "resolved.yaml").write_text(release.resolved)
    again = hedgerow.anonymize(original, tmp_path / "resolved.yaml")
    assert pyarrow.table(again.table) == pyarrow.table(release.table)
    page = release.to_html()
    assert page.startswith("<!doctype html>") and "What holds" in page and "src=" not in page
    public = release.to_html(public=True)
    assert "Age" in public and "Which rows are missing" not in public and "Which rows are missing" in page


AGES = pandas.DataFrame({"age": range(8), "sick": list("yn") * 4, "open": [True, False] * 4})


def test_compare_of_a_table():
    runs = hedgerow.compare(AGES, quasi=["age"], numeric=["age"], algorithms="hedge, k-member", k=numpy.int64(2))
    assert [run["algorithm"] for run in runs] == ["hedge", "k-member"]
    assert "Boundaries: none" in runs.to_html()
    assert pandas.DataFrame(runs)["classes"].tolist() == [4, 4]


def test_numbers_and_lists_of_other_libraries():
    roles = {"numeric": {"age"}, "keep": pandas.Index(["sick"]), "drop": (name for name in ["open"])}
    release = hedgerow.anonymize(AGES, quasi=numpy.array(["age"]), k=numpy.int64(2), reference=numpy.True_, **roles)
    assert release.classes == 4 and list(release.table) == ["age", "sick"]
    described = {"role": "quasi", "hierarchy": {"intervals": numpy.array([2, 4])}}
    job = {"model": {"k": decimal.Decimal(2)}, "attributes": {"age": described}, "missing": {"?"}}
    assert hedgerow.anonymize(AGES, job, drop=["sick", "open"]).classes == 4
    prices = hedgerow.boundaries(AGES, job, k=numpy.array([2, 3]), p=numpy.int8(1))
    assert [price["k"] for price in prices] == [2, 3]
    with pytest.raises(TypeError, match="integer"):
        hedgerow.boundaries(AGES, job, k=[2.5])
    with pytest.raises(TypeError, match="cannot contain a object"):
        hedgerow.anonymize(AGES, {"model": {"k": object()}})


def test_leaves_are_texts_of_values():
    def release(column, paths):
        return hedgerow.anonymize(AGES.astype({"age": float}), quasi=[column], hierarchy={column: paths}, k=4).table

    assert set(release("open", {True: ["*"], False: ["*"]})["open"]) == {"true", "false"}
    assert set(release("age", {float(age): [age // 4 * 4, "*"] for age in range(8)})["age"]) == {"0", "4"}


def test_a_builder_needs_values():
    with pytest.raises(hedgerow.InputError, match="needs the values of a column"):
        hedgerow.hierarchy({"prefix": [3]})
    tree = hedgerow.hierarchy({"prefix": [1]}, pyarrow.array(["ab", "cd", "NA"]), missing="NA")
    assert tree.rows() == [["ab", "a*", "*"], ["cd", "c*", "*"], ["NA", "NA", "*"]]
    marked = [tree.show(boundary=given) for given in ("level:1", {"level": 1}, ["a*", "c*", "NA"])]
    assert "a* ◆" in marked[0] and marked[0] == marked[1] == marked[2]
    with pytest.raises(TypeError, match="hierarchy of 'hierarchy': give"):
        hedgerow.hierarchy(7)


def test_generate_refuses_negative_numbers(tmp_path):
    for wrong in ({"rows": -5}, {"seed": -1}):
        with pytest.raises(hedgerow.InputError, match="negative"):
            hedgerow.generate("uu", tmp_path, **wrong)


def test_long_messages_are_cut_between_characters():
    for filler in ("", "x"):  # one of the two ends within a character
        with pytest.raises(hedgerow.InputOutputError, match="ää"):
            hedgerow.read(filler + "ä" * 400)
