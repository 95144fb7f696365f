"""Tests in a browser wait for what they assert as long as a machine takes that does much else."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.playground import SECONDS

TESTS = Path(__file__).parents[2]
FILES = sorted({*TESTS.glob("browser/**/*.py"), *TESTS.glob("features/*/browser/*.py")})


def limits(source: str) -> Iterator[tuple[int, float]]:
    """The line and the seconds of each limit that is written as a number: of an assertion, and of `eventually`."""
    for call in ast.walk(ast.parse(source)):
        match call:
            case ast.Call(ast.Attribute(attr=name), _, [*_, ast.keyword("timeout", ast.Constant(int(each)))]):
                if name.startswith(("to_", "not_to_")):
                    yield call.lineno, each / 1000
            case ast.Call(ast.Name("eventually"), [_, _, ast.Constant(int(each))]):
                yield call.lineno, each
            case ast.Call(ast.Name("eventually"), _, [ast.keyword("seconds", ast.Constant(int(each)))]):
                yield call.lineno, each


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(TESTS)))
def test_nothing_is_waited_for_less_long_than_a_busy_machine_takes(file: Path) -> None:
    short = [(line, seconds) for line, seconds in limits(file.read_text(encoding="utf-8")) if seconds < SECONDS]
    assert short == [], "what comes needs no shorter limit, and a busy machine outlives it"


def test_each_kind_of_limit_is_found() -> None:
    source = "expect(it).to_be_visible(timeout=5_000)\neventually(read, True, 8)\neventually(read, True, seconds=9)"
    assert list(limits(source)) == [(1, 5), (2, 8), (3, 9)]


#: Another program's page, which has no policy of the app's.
JUPYTER = "test_notebooks.py"


@pytest.mark.parametrize("file", [file for file in FILES if file.name != JUPYTER], ids=lambda file: file.stem)
def test_nothing_waits_in_a_way_that_the_pages_policy_forbids_on_the_second_look(file: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Attribute)]
    lines = [node.lineno for node in calls if node.attr == "wait_for_function"]
    assert lines == [], "Playwright looks again by eval, which the policy forbids: `holds` and locators wait without"
