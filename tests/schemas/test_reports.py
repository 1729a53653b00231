"""Reports as other programs read them: the published SARIF schema, a JUnit reader, a renderer.

The SARIF schema is fetched from the npm registry; without npm or a registry that is said and
skipped. `python3 -m tests.schemas.multitool` runs the validator of the standard's authors.
"""

import json
import pathlib
import re
import shutil
import subprocess

import jsonschema
import junitparser
import pytest
from markdown_it import MarkdownIt

from tests.cli import ways
from tests.reports.every_kind import INERT, write_every_kind, write_hostile

_PACKAGE = "@microsoft/jest-sarif"


@pytest.fixture(scope="session")
def sarif_schema(tmp_path_factory) -> dict:
    folder = tmp_path_factory.mktemp("npm")
    if shutil.which("npm") is None:
        pytest.skip("no npm: the SARIF schema cannot be fetched")
    fetched = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), _PACKAGE],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if fetched.returncode:
        pytest.skip(f"the SARIF schema cannot be fetched: {fetched.stderr[-200:]}")
    (path,) = folder.glob("node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0*.json")
    return json.loads(path.read_bytes())


@pytest.fixture(params=["every kind", "hostile", "nothing", "folder"])
def arguments(request, tmp_path) -> tuple[pathlib.Path, list[str]]:
    if request.param == "every kind":
        return tmp_path, write_every_kind(tmp_path)
    if request.param == "hostile":
        return tmp_path, write_hostile(tmp_path)
    if request.param == "nothing":
        (tmp_path / "empty").mkdir()
        return tmp_path, ["audit", "empty"]
    (tmp_path / "samples").symlink_to(ways.SAMPLES)
    return tmp_path, ["audit", "samples/", "--scope", "samples/scope.json", "--require", "log"]


def _written(arguments, form: str) -> bytes:
    folder, words = arguments
    return ways.in_process(*words, "--format", form, folder=folder).out


def test_sarif_meets_the_published_schema(arguments, sarif_schema):
    document = json.loads(_written(arguments, "sarif"))
    validator = jsonschema.validators.validator_for(sarif_schema)(sarif_schema)
    assert [error.message for error in validator.iter_errors(document)] == []


def test_the_published_schema_refuses_a_planted_fault(tmp_path, sarif_schema):
    document = json.loads(_written((tmp_path, write_every_kind(tmp_path)), "sarif"))
    validator = jsonschema.validators.validator_for(sarif_schema)(sarif_schema)
    document["runs"][0]["results"][0]["level"] = "dreadful"
    assert list(validator.iter_errors(document))


def test_junit_is_read_by_another_program(arguments):
    folder, _ = arguments
    (folder / "report.xml").write_bytes(_written(arguments, "junit"))
    found = junitparser.JUnitXml.fromfile(str(folder / "report.xml"))
    ours = json.loads(_written(arguments, "json"))
    failed = sum(
        check["result"] == "failed"
        for run in ours["runs"]
        if run["calls"] or run["findings"]  # of nothing at all there is no failure
        for check in run["checks"]
    )
    failures = sum(
        isinstance(result, junitparser.Failure)
        for suite in found
        for case in suite
        for result in case.result
    )
    assert failures == failed
    assert sum(suite.failures for suite in found) == failed


def test_a_renderer_makes_nothing_of_recorded_text(arguments):
    text = _written(arguments, "markdown").decode("utf-8")
    rendered = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(text)
    tags = set(re.findall(r"<(/?[a-z0-9]+)", rendered))
    allowed = {"h3", "h4", "p", "ul", "li", "code", "strong", "details", "summary"}
    assert {tag.lstrip("/") for tag in tags} <= allowed
    # Ours are the only tags that are no result of Markdown.
    ours = "<details><summary>[0-9,]+ findings?</summary>|</details>"
    assert set(re.findall(r"</?(?:details|summary)[^>]*>.*", rendered)) <= set(
        re.findall(ours, rendered)
    )


def test_every_hostile_text_reaches_the_renderer_as_text(tmp_path):
    text = _written((tmp_path, write_hostile(tmp_path)), "markdown").decode("utf-8")
    rendered = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(text)
    assert rendered.count("<code>") > 3 * len(INERT)
