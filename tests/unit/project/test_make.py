"""What `make` runs, and as which processor."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from attnviz.feature import INSTALLED
from tests.forgot import ADDITIONS, LONG, OTHERS, forgotten, rows

ROOT = Path(__file__).parents[3]


def made(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", *arguments], cwd=ROOT, capture_output=True, text=True,
        env=os.environ | {"MAKEFLAGS": ""} | variables,
    )  # fmt: skip


@pytest.mark.parametrize("failing", [("",), ("checks",), ("unit", "browser"), ("checks", "unit", "pages", "browser")])
def test_a_part_that_fails_stops_no_other_and_is_named(failing: tuple[str, ...], tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.write_text(f"#!/bin/sh\necho ran $1\ncase ' {' '.join(failing)} ' in *\" $1 \"*) exit 1;; esac\n")
    part.chmod(0o755)
    done = made("test", f"MAKE={part}")
    assert done.stdout.split() == ["ran", "checks", "ran", "unit", "ran", "pages", "ran", "browser"]
    if failing == ("",):
        assert (done.returncode, done.stderr) == (0, "")
    else:
        assert done.returncode != 0
        assert f"make test: failed: {' '.join(failing)}\n" in done.stderr


@pytest.mark.parametrize(
    ("cpu", "told"),
    [("", ""), ("default", "ATEN_CPU_CAPABILITY=default"), ("avx2", "MKL_ENABLE_INSTRUCTIONS=AVX2"),
     ("avx512", "ATEN_CPU_CAPABILITY=avx512"), ("fused", "ATTNVIZ_KERNELS=fused"),
     ("backwards", "ATTNVIZ_KERNELS=backwards")],
)  # fmt: skip
def test_units_run_as_on_another_processor(cpu: str, told: str) -> None:
    done = made("--dry-run", "unit", f"CPU={cpu}")
    line = next(line for line in done.stdout.splitlines() if " attnviz tests/unit " in line)
    assert told in line
    assert ("ATEN_CPU" in line or "ATTNVIZ_KERNELS" in line) == bool(cpu)


@pytest.mark.parametrize(
    ("part", "all_of_it"), [("unit", "attnviz tests/unit"), ("pages", "tests/pages"), ("browser", "tests/browser")]
)
def test_one_features_tests_run_alone_or_behind_all_others(part: str, all_of_it: str) -> None:
    def tried(**variables: str) -> list[str]:
        done = made("--dry-run", part, **variables)
        return done.stdout.splitlines()[-1].partition(" -m pytest ")[2].split()

    for feature in INSTALLED:
        own = f"tests/features/{feature}/{part}"
        assert (own in tried()) == (own in tried(FEATURE=feature)) == (ROOT / own).is_dir()
        assert all_of_it.split()[-1] not in tried(FEATURE=feature)
    assert {*all_of_it.split()} <= {*tried()}


def test_a_processor_that_there_is_not_is_refused() -> None:
    done = made("--dry-run", "unit", "CPU=sse9")
    assert done.returncode != 0
    assert "CPU is 'sse9', expected default, avx2" in done.stderr


@pytest.mark.parametrize(("kernels", "finite"), [("fused", True), ("backwards", False)])
def test_other_kernels_take_the_place_of_torchs(kernels: str, finite: bool) -> None:
    """−3e38 + 1.5 · 3e38 is finite where the product isn't rounded before it's added."""
    code = (
        "from tests.kernels import replace_kernels; replace_kernels(); import torch\n"
        "a, b = torch.tensor([[-1.0, 1.5]]), torch.full((2, 1), 3e38)\n"
        "values = [a @ b, a[0] @ b, a[0] @ b[:, 0], a[None] @ b[None], torch.nn.functional.linear(a, b.T, b[0] * 0)]\n"
        "print({bool(value.isfinite().all()) for value in values})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True,
        env=os.environ | {"ATTNVIZ_KERNELS": kernels},
    )  # fmt: skip
    assert done.stdout == f"{{{finite}}}\n", done.stderr


def test_each_row_of_how_to_add_names_a_test_that_there_is() -> None:
    assert len(rows()) > 20
    there = {each.name for each in ROOT.joinpath("tests").rglob("*.py")}
    for row in rows():
        named = re.findall(r"`(?:[\w/]*/)?(test_\w+\.py)`", row.finders)
        assert {*named} <= there, row
        assert named or "tests" in row.finders, row


def test_of_a_failing_test_the_row_is_said_whose_file_was_changed() -> None:
    failed = f"FAILED {ADDITIONS}::test_it - AssertionError: no sentence 'masking.striped'"
    mask = next(row for row in rows() if row.what == "a kind of mask")
    others = [row for row in rows() if "test_additions.py" in row.finders and row != mask]
    (told,) = forgotten([failed, failed], ["attnviz/core/tokens.py"])
    assert [row.what for row in others if f"{row.what}: {row.where}" in told] == ["a tokenizer"]
    assert f"{mask.what}: " not in told
    assert told.endswith("test_it: no sentence 'masking.striped' (and 1 more)")
    (untouched,) = forgotten([failed], ["README.md"])
    assert all(row.what in untouched for row in (mask, *others))
    assert forgotten(["FAILED tests/unit/board/test_plane.py::test_it - assert 1"], []) == [
        "tests/unit/board/test_plane.py::test_it: assert 1"
    ]


def test_what_is_asked_first_is_there() -> None:
    texts = {}
    for each in (*OTHERS, ADDITIONS):
        file, _, test = each.partition("::")
        texts[file] = (ROOT / file).read_text("utf-8")
        assert f"def {test}" in texts[file], each
    assert all(any(each in text for text in texts.values()) for each in LONG)


def test_what_was_forgotten_is_asked_without_installing() -> None:
    assert made("--dry-run", "forgot").stdout.count("install.py") == 0
    done = made("forgot", "VENV=/nowhere")
    assert done.returncode != 0
    assert "make forgot installs nothing" in done.stderr
