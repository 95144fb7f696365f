"""What the core refuses reaches the reader as a sentence of the catalogue, never in the core's own words."""

import ast
import re
from collections.abc import Callable
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from attnviz import Scenario
from attnviz.app.text import message_of
from attnviz.core.changes import Changes, with_changes
from attnviz.core.constraints import CONSTRAINTS
from attnviz.core.given import GIVEN
from attnviz.core.matrix_input import Edit
from attnviz.core.stages import EVERY_STAGE
from attnviz.words import catalogue
from tests.said import joined

ROOT = Path(__file__).parents[3]
NOT_FOR_READERS = re.compile(
    r"expected|\b[wb]_[qkv12]\b|attention_weights|scaled_scores|\(\d+,|shape|float32,|ValueError"
)
ASKING = ("message_of", "why_no_number", "why_unreadable", "type")
# Those whose kinds stand in rows of tables.
OF_CONSTRAINTS = {*CONSTRAINTS, "text_long", "second_long"} | {row.off for row in GIVEN.values() if row.off}
SYMBOLS = {stage.symbol for stage in EVERY_STAGE.values()}


def refusal_of(make: Callable[[], object]) -> ValueError | None:
    try:
        make()
    except ValueError as error:
        return error
    return None


def assert_for_readers(error: ValueError) -> None:
    said = message_of(error)
    own = said
    for symbol in SYMBOLS:  # W_q is written so for the reader, and b_q is b_q
        own = own.replace(symbol, "")
    assert not NOT_FOR_READERS.search(own), said
    assert said != message_of(ValueError()), f"nothing is told of {error!r}"
    assert said.endswith("."), said
    assert "`" not in re.sub(r"`[^`]*`", "", said), said


ragged: Any = [[1.0], [1.0, 2.0]]
batch: Any = [[[1.0]]]
no_edit: Any = ("w_q", "a", 0, 1.0)
RAISERS: dict[str, Callable[[], object]] = {  # beside all that tests of a scenario and of files refuse
    "too many edits": lambda: Scenario(d_in=65, d_out=65, edits=[("w_q", n // 65, n % 65, 0.0) for n in range(4225)]),
    "another shape": lambda: Scenario(w_q=[[1.0]]),
    "ragged": lambda: Scenario(w_k=ragged),
    "a batch": lambda: Scenario(w_k=batch),
    "too large a table": lambda: Scenario(w_k=[[0.0] * 1025]),
    "an edit outside": lambda: with_changes(Scenario(), Changes((Edit("w_q", 9, 9, 1.0),), ())),
    "an edit that is too large": lambda: with_changes(Scenario(), Changes((Edit("w_q", 0, 0, 1e39),), ())),
    "an edit of no matrix": lambda: with_changes(Scenario(), Changes((Edit("scores", 0, 0, 1.0),), ())),
    "an edit of a bias that is off": lambda: with_changes(Scenario(), Changes((Edit("b_q", 0, 0, 1.0),), ())),
    "a layer that is off": lambda: Scenario(w_1="zeros"),
    "positions that are off": lambda: with_changes(Scenario(), Changes((Edit("p", 0, 0, 1.0),), ())),
    "a sum": lambda: Scenario(positions="learned", x="identity"),
    "no edit": lambda: Scenario(edits=[no_edit]),
    "a bias that is off": lambda: Scenario(b_q=[[0.0, 0.0]]),
    "no tokens": lambda: Scenario(""),
    "too many tokens": lambda: Scenario("a " * 1025),
    "too long a text": lambda: Scenario("a" * 20_001),
    **joined("RAISERS"),
}


@pytest.mark.parametrize("name", RAISERS)
def test_what_the_core_refuses_is_told_in_a_readers_words(name: str) -> None:
    error = refusal_of(RAISERS[name])
    assert error is not None, "the core takes it"
    assert_for_readers(error)


def test_every_refusal_of_the_core_has_its_sentence_and_gives_its_facts() -> None:
    kinds = set()
    for file in ROOT.glob("attnviz/**/*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "RefusedError":
                (kind,) = node.args
                if not isinstance(kind, ast.Constant):  # of a constraint, or of one of two texts
                    continue
                assert isinstance(kind.value, str)
                sentence = catalogue()[f"refused.{kind.value}"]
                assert isinstance(sentence, str)
                needed = {place for _, place, _, _ in Formatter().parse(sentence) if place is not None}
                assert needed <= {each.arg for each in node.keywords}, f"{file.name}:{node.lineno}"
                kinds.add(kind.value)
    sentences = {key.removeprefix("refused.") for key in catalogue() if key.startswith("refused.")}
    assert {each for each in sentences if "." not in each} - {"other", "that"} == kinds | OF_CONSTRAINTS


PAGES = [file for of in ("app", "features/*/page") for file in sorted(ROOT.glob(f"attnviz/{of}/**/*.py"))]


@pytest.mark.parametrize("file", PAGES, ids=lambda file: str(file.relative_to(ROOT / "attnviz")))
def test_no_page_shows_an_error_in_the_cores_words(file: Path) -> None:
    """What a page catches it only asks why: it's never written itself, by str(), in an f-string or into a place."""
    for handler in ast.walk(ast.parse(file.read_text())):
        if isinstance(handler, ast.ExceptHandler) and handler.name:
            inner = list(ast.walk(handler))
            asked = {
                id(argument)
                for node in inner
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ASKING
                for argument in node.args
            }
            asked |= {id(node.value) for node in inner if isinstance(node, ast.Attribute)}
            for node in inner:
                if isinstance(node, ast.Name) and node.id == handler.name:
                    assert id(node) in asked, f"{file.name}:{node.lineno}"
