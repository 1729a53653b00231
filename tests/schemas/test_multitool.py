"""SARIF as the validator of the standard's authors judges it; `pytest -m slow` runs it.

It is fetched from the npm registry, and ends with 0 whatever it finds: what counts is that it
prints no line with `: error `.
"""

import json
import os
import shutil
import stat
import subprocess

import pytest

from tests.cli import ways
from tests.reports.every_kind import write_every_kind, write_hostile

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def validate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("npm")
    if shutil.which("npm") is None:
        pytest.skip("no npm: the validator cannot be fetched")
    fetched = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder),
         "@microsoft/sarif-multitool"],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    programs = list(folder.glob("node_modules/@microsoft/sarif-multitool-*/Sarif.Multitool"))
    if fetched.returncode or not programs:
        pytest.skip(f"the validator cannot be fetched: {fetched.stderr[-200:]}")
    os.chmod(programs[0], os.stat(programs[0]).st_mode | stat.S_IXUSR)

    def run(path) -> list[str]:
        done = subprocess.run(
            [programs[0], "validate", str(path)],
            env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"},
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert "Analysis completed successfully" in done.stdout, done.stdout + done.stderr
        return [line for line in done.stdout.splitlines() if ": error " in line]

    return run


@pytest.mark.parametrize("write", [write_every_kind, write_hostile])
def test_the_validator_finds_no_error(write, validate, tmp_path):
    arguments = write(tmp_path)
    path = tmp_path / "report.sarif"
    path.write_bytes(ways.in_process(*arguments, "--format", "sarif", folder=tmp_path).out)
    assert validate(path) == []


def test_it_finds_a_planted_one(validate, tmp_path):
    arguments = write_every_kind(tmp_path)
    log = json.loads(ways.in_process(*arguments, "--format", "sarif", folder=tmp_path).out)
    log["runs"][0]["results"][0]["ruleIndex"] = 99
    path = tmp_path / "report.sarif"
    path.write_text(json.dumps(log))
    assert validate(path)
