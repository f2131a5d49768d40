"""The examples of the documentation print what the page shows."""

import doctest

from conftest import ROOT


def test_examples():
    page = (ROOT / "docs" / "howto" / "use-python.md").read_text(encoding="utf-8")
    # A fence ends the output of an example as an empty line does.
    text = "\n".join("" if line.startswith("```") else line for line in page.splitlines())
    test = doctest.DocTestParser().get_doctest(text, {}, "use-python.md", "use-python.md", 0)
    assert len(test.examples) > 8
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    runner = doctest.DocTestRunner(optionflags=flags)
    output = []
    runner.run(test, out=output.append)
    assert not runner.failures, "".join(output)
