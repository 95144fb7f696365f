"""The board's own script: numbers as they are written, typed, stepped and pasted, and the colours they stand on."""

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from playwright.sync_api import Page

import attnviz
from attnviz import Scenario
from attnviz.board.data import board_data
from attnviz.tables.typed_numbers import NoNumberError, parse_number, why_no_number
from attnviz.words.numbers import written
from tests.browser.board_script import in_browser, script_page
from tests.browser.looks import contrast
from tests.browser.serving import ROOT

page = pytest.fixture(scope="module")(script_page)


@in_browser
@given(values=st.lists(st.floats(width=32) | st.floats(), min_size=50, max_size=100), digits=st.integers(1, 6))
@example(values=[0.25, 0.75, 0.03125, 0.09375, 2.5, 12250.0, 112500.0, 0.5, -0.0, 9999.99995, 99950.0], digits=1)
@example(values=[0.25, 0.75, 0.03125, 0.09375, 2.5, 12250.0, 112500.0, 0.5, -0.0, 9999.99995, 99950.0], digits=4)
def test_numbers_are_written_as_everywhere(page: Page, values: list[float], digits: int) -> None:
    got = page.evaluate(
        "([texts, digits]) => texts.map(text => script.written(Number(text), digits))",
        [[str(value).replace("inf", "Infinity").replace("nan", "NaN") for value in values], digits],
    )
    assert got == [written(value, digits) for value in values]


CASES = json.loads((ROOT / "tests" / "typed_numbers.json").read_text(encoding="utf-8"))
TYPED = [*((text, {"value": value}) for text, value in CASES["numbers"]),
         *((text, {"reason": reason}) for text, reason in CASES["refused"])]  # fmt: skip


def test_what_is_typed_is_read_as_python_reads_it(page: Page) -> None:
    """Both are held to the same cases."""
    got = page.evaluate("texts => texts.map(text => script.readNumber(text))", [text for text, _ in TYPED])
    assert [(text, read) for (text, _), read in zip(TYPED, got, strict=True)] == TYPED


@in_browser
@given(texts=st.lists(st.text("0123456789.,'/-−+e%½ 10^·x", max_size=9), min_size=40, max_size=60))
def test_any_text_is_read_as_python_reads_it(page: Page, texts: list[str]) -> None:
    got = page.evaluate("texts => texts.map(text => script.readNumber(text))", texts)
    assert [(text, read) for text, read in zip(texts, got, strict=True)] == [
        (text, read_by_python(text)) for text in texts
    ]


def read_by_python(text: str) -> dict[str, Any]:
    try:
        return {"value": parse_number(text)}
    except NoNumberError as error:
        return {"reason": error.reason}


def test_a_refusal_is_told_in_the_words_of_python(page: Page) -> None:
    for text, reason in CASES["refused"]:
        if len(text) <= 40:
            said = page.evaluate("given => script.whyNoNumber(...given)", [text, reason])
            assert said == why_no_number(NoNumberError(text, reason), f"“{text.strip()}”")


BLOCKS = {
    "1\t2\n3\t4\n": [["1", "2"], ["3", "4"]],
    "1, 2\r\n3, 4": [["1", "2"], ["3", "4"]],
    "0,5;1,5": [["0,5", "1,5"]],
    "0,5 1,5\n2 −3,5": [["0,5", "1,5"], ["2", "−3,5"]],
    "0,5\n": [["0,5"]],
    "1,0\n0,1": [["1", "0"], ["0", "1"]],
    "1 ,2": [["1", "2"]],
    "1 1/2": [["1 1/2"]],
    "5 · 10^-1 ": [["5 · 10^-1"]],
    "1,234": [["1,234"]],
    "1\t1/2": [["1", "1/2"]],
    "0.5,1.5": [["0.5", "1.5"]],
    "\t2": [["", "2"]],
    " 1   2 ": [["1", "2"]],
}


@pytest.mark.parametrize("text", BLOCKS)
def test_a_pasted_block_falls_into_cells(page: Page, text: str) -> None:
    assert page.evaluate("text => script.blockIn(text, 9, 9)", text) == {"lines": BLOCKS[text], "outside": 0}


@in_browser
@given(st.text("1.,;\t \r\n", max_size=30), st.integers(1, 3), st.integers(1, 3))
def test_what_is_outside_of_a_matrix_is_counted(page: Page, text: str, rows: int, columns: int) -> None:
    """Against the whole block, taken apart."""
    lines = re.split(r"\r?\n", re.sub(r"[\r\n]+\Z", "", text))
    tabbed = "\t" in text or ";" in text
    read = read_by_python(text)
    if ("value" in read or read["reason"] == "two_ways") and not re.search(r"[\t;]|\S\s*\n\s*\S", text):
        assert page.evaluate("given => script.blockIn(...given)", [text, rows, columns]) == {
            "lines": [[text.strip()]], "outside": 0,
        }  # fmt: skip
        return
    blanks = all(re.search(r"\S\s+\S", line) and not re.search(r",\s|\s,", line) for line in lines if "," in line)
    parts = r"\s+" if blanks else r"[\s,]+"
    whole = [re.split(r"[\t;]", line) if tabbed else re.split(parts, line.strip()) for line in lines]
    within = [line[:columns] for line in whole[:rows]]
    assert page.evaluate("given => script.blockIn(...given)", [text, rows, columns]) == {
        "lines": within, "outside": sum(map(len, whole)) - sum(map(len, within)),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("piece", "end", "cells"),
    [("1\t", "2", 500_001), ("1 ", "", 500_000), ("1\n", "", 500_000), ("\r\n", "1", 500_001)],
)
def test_a_pasted_block_of_a_megabyte_is_not_taken_apart(page: Page, piece: str, end: str, cells: int) -> None:
    got = page.evaluate(
        """([piece, end]) => {
          const {split} = String.prototype;
          let made = 0;
          String.prototype.split = function (...given) {
            const parts = split.apply(this, given);
            made += parts.length;
            return parts;
          };
          try {
            const {lines, outside} = script.blockIn(piece.repeat(500_000) + end, 2, 3);
            return [lines.flat().length + outside, made <= 6];
          } finally {
            String.prototype.split = split;
          }
        }""",
        [piece, end],
    )
    assert got == [cells, True]


@pytest.mark.parametrize(
    ("value", "steps", "large", "wanted"),
    [(0.5166, 1, False, 0.5266), (0.5166, -2, True, 0.3166), (0, 3, False, 0.03), (-9.99, -1, False, -10.0),
     (250, 1, False, 251), (1e30, 1, False, 1.01e30), (0.123456789, 0, False, 0.123456789)],
)  # fmt: skip
def test_a_step_is_a_hundredth_of_what_is_there(
    page: Page, value: float, steps: int, large: bool, wanted: float
) -> None:
    assert page.evaluate("given => script.stepped(...given)", [value, steps, large]) == pytest.approx(wanted, rel=1e-12)


def test_numbers_stand_out_on_every_colour_of_the_scales(page: Page) -> None:
    scenario = Scenario(embedding="published")
    scales = board_data(scenario, attnviz.trace(scenario), 0, 4)["scales"]
    for scale in scales.values():
        for step in range(257):
            colour, ink = page.evaluate(
                """([value, scale]) => {
                  const colour = script.colourOf(value, [0, 1], scale, {});
                  return [colour, script.inkOn(colour)];
                }""",
                [step / 256, scale],
            )
            assert contrast(colour, [0, 0, 0] if ink == "#000" else [255, 255, 255]) >= 4.5
