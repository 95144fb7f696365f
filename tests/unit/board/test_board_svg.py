"""The whole board as one SVG: every number of the trace, in the board's order, nothing over anything else."""

import itertools
from xml.etree import ElementTree

import pytest
import torch
from hypothesis import assume, given, settings

from attnviz import AttentionTrace, Scenario
from attnviz.core.heads import in_view
from attnviz.core.rules import in_rows
from attnviz.core.scenario import traced
from attnviz.core.tokens import token_labels
from attnviz.documents import board_svg
from tests.examples import examples
from tests.unit.helpers import setups

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</svg><script>alert(1)</script> <b>x</b> \"'&amp; a\x00\ud800b"
TAGS = {"svg", "title", "rect", "g", "text", "tspan", "path"}
Rect = tuple[float, float, float, float]


def matrices(drawn: str) -> dict[str, ElementTree.Element]:
    root = ElementTree.fromstring(drawn)
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= TAGS
    assert not [name for each in root.iter() for name in each.attrib if name.startswith("on") or "href" in name]
    return {each.attrib["data-matrix"]: each for each in root.iter(f"{SVG}g")}


def filled(matrix: ElementTree.Element) -> list[Rect]:
    """The cells of a matrix: left, top, right and bottom."""
    rects = [each.attrib for each in matrix.iter(f"{SVG}rect") if each.attrib["fill"] != "none"]
    sides = [[float(each[name]) for name in ("x", "y", "width", "height")] for each in rects]
    return [(x, y, x + width, y + height) for x, y, width, height in sides]


def around(matrix: ElementTree.Element) -> Rect:
    lefts, tops, rights, bottoms = zip(*filled(matrix), strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def written_in(matrix: ElementTree.Element) -> list[list[str]]:
    """The texts of the cells, row by row, found by where they stand."""
    texts = [(float(each.attrib["x"]), float(each.attrib["y"]), "".join(each.itertext()))
             for each in matrix.iter(f"{SVG}text")]  # fmt: skip
    rows: dict[float, list[str]] = {}
    for left, top, right, bottom in filled(matrix):
        (text,) = [text for x, y, text in texts if left < x < right and top < y < bottom]
        rows.setdefault(top, []).append(text)
    return list(rows.values())


def says(text: str, value: float) -> bool:
    """Whether a text of two decimals is this number."""
    if text == "≈0":
        return 0 < abs(value) <= 0.005
    if text in ("−∞", "–"):
        return value in (-torch.inf, 0.0)
    number = float(text.replace("−", "-"))
    return abs(number - value) <= max(0.005, 0.005 * abs(value)) * 1.001 and (value == 0 or number != 0)


def check(trace: AttentionTrace) -> dict[str, ElementTree.Element]:
    drawn = matrices(board_svg(trace, query=0))
    assert set(drawn) == set(in_view(trace.stages))
    for name, matrix in drawn.items():
        numbers, texts = in_rows(trace[name]), written_in(matrix)
        turned = "".join(next(matrix.iter(f"{SVG}text")).itertext()).endswith("T")  # its title
        for texts_of, values in zip(texts, (numbers.T if turned else numbers).tolist(), strict=True):
            assert all(says(*each) for each in zip(texts_of, values, strict=True))
    rects = {name: around(matrix) for name, matrix in drawn.items()}
    for name, matrix in drawn.items():
        title = next(matrix.iter(f"{SVG}text")).attrib
        x, y = float(title["x"]), float(title["y"])
        rects[f"title of {name}"] = (x, y - 10, x + 16, y + 3)
    for (one, a), (other, b) in itertools.combinations(rects.items(), 2):
        apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        assert apart, (one, other)
    return drawn


@settings(max_examples=examples(40))
@given(scenario=setups(max_tokens=5, max_d=3, whole=True, heads=True))
def test_every_number_stands_there_and_nothing_over_anything_else(scenario: Scenario) -> None:
    trace = traced(scenario).for_head(0)
    assume(max(max(trace[name].shape) for name in in_view(trace.stages)) <= 16)
    check(trace)


def test_tokens_are_text_whatever_they_are() -> None:
    trace = traced(Scenario(HOSTILE, tokenizer="whitespace", causal=True))
    text = "".join(check(trace)["attention_weights"].itertext())
    assert all(label in text for label in token_labels(trace.tokens, 18) if "\ud800" not in label)


def test_what_has_no_room_for_its_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match=r"x has shape \(17, 3\), expected at most 16 rows and columns"):
        board_svg(traced(Scenario(" ".join("abcdefghijklmnopq"))))
