"""The board's own script: numbers as Python writes and reads them. What needs no Python is held in tests/js."""

import json
import re
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from attnviz.tables.typed_numbers import NoNumberError, parse_number, why_no_number
from attnviz.words import say
from attnviz.words.numbers import written
from tests.node import ROOT, PageScript

# Many lie halfway between two numbers that are written.
HALFWAY = [0.25, 0.75, 0.03125, 0.09375, 2.5, 12250.0, 112500.0, 128500.0, 0.5, -0.0, 9999.99995, 99950.0]


@given(values=st.lists(st.floats(width=32) | st.floats(), min_size=50, max_size=100), digits=st.integers(1, 6))
@example(values=HALFWAY, digits=1)
@example(values=HALFWAY, digits=4)
def test_numbers_are_written_as_everywhere(script: PageScript, values: list[float], digits: int) -> None:
    got = script.run(
        "({ numbers }, [texts, digits]) => texts.map(text => numbers.written(Number(text), digits))",
        [[str(value).replace("inf", "Infinity").replace("nan", "NaN") for value in values], digits],
    )
    assert got == [written(value, digits) for value in values]


READ = "({ typed_numbers }, texts) => texts.map((text) => typed_numbers.readNumber(text, { blanks: true }))"
BLOCK = "({ editing }, given) => editing.blockIn(...given)"
CASES = json.loads((ROOT / "tests" / "typed_numbers.json").read_text(encoding="utf-8"))


@given(texts=st.lists(st.text("0123456789.,'/-−+e%½ 10^·x\u00a0", max_size=9), min_size=40, max_size=60))
@example(texts=[text for text, _ in (*CASES["numbers"], *CASES["refused"])])
def test_any_text_is_read_as_python_reads_it(script: PageScript, texts: list[str]) -> None:
    got = script.run(READ, texts)
    assert [(text, read) for text, read in zip(texts, got, strict=True)] == [
        (text, read_by_python(text)) for text in texts
    ]


def read_by_python(text: str) -> dict[str, Any]:
    try:
        return {"value": parse_number(text)}
    except NoNumberError as error:
        return {"reason": error.reason}


def test_a_refusal_is_told_in_the_words_of_python(script: PageScript) -> None:
    for text, reason in CASES["refused"]:
        if len(text) <= 40:
            said = script.run("({ typed_numbers }, given) => typed_numbers.whyNoNumber(...given)", [text, reason])
            assert said == why_no_number(NoNumberError(text, reason), f"“{text.strip()}”")


@given(st.text("1.,;\t \r\n", max_size=30), st.integers(1, 3), st.integers(1, 3))
def test_what_is_outside_of_a_matrix_is_counted(script: PageScript, text: str, rows: int, columns: int) -> None:
    """Against the whole block, taken apart."""
    lines = re.split(r"\r?\n", re.sub(r"[\r\n]+\Z", "", text))
    tabbed = "\t" in text or ";" in text
    read = read_by_python(text)
    if ("value" in read or read["reason"] == "two_ways") and not re.search(r"[\t;]|\S\s+\S", text):
        assert script.run(BLOCK, [text, rows, columns]) == {"lines": [[text.strip()]], "outside": 0}
        return
    blanks = all(re.search(r"\S\s+\S", line) and not re.search(r",\s|\s,", line) for line in lines if "," in line)
    parts = r"\s+" if blanks else r"[\s,]+"
    whole = [re.split(r"[\t;]", line) if tabbed else re.split(parts, line.strip()) for line in lines]
    within = [line[:columns] for line in whole[:rows]]
    assert script.run(BLOCK, [text, rows, columns]) == {
        "lines": within,
        "outside": sum(map(len, whole)) - sum(map(len, within)),
    }


@given(share=st.floats(0, 1, exclude_min=True))
def test_a_share_is_told_in_whole_percent_or_as_less_than_one(script: PageScript, share: float) -> None:
    got = script.run("({ numbers }, share) => numbers.percent(share)", share)
    if 100 * share < 1:
        assert got == say("board.share.less")
    elif got != say("board.share.more"):
        assert abs(int(got.removesuffix(" %")) - 100 * share) <= 0.5
