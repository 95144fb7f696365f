"""The board's own script, function by function: it computes as torch does; it says, writes and reads as Python does."""

import json
import math
import re
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

import attnviz
from attnviz import Edit, Scenario, explain
from attnviz.board.data import board_data
from attnviz.core.scenario import traced
from attnviz.explanation.summary import attends_most
from attnviz.typed_numbers import NoNumberError, parse_number, why_no_number
from attnviz.words import say
from attnviz.words.numbers import written
from tests.node import ROOT, PageScript
from tests.unit.helpers import edited, setups

_READS = """({ made, most_read: { mostRead }, numbers: { written } }, [data, query]) => mostRead(
  made(data), query, (kind, places) => [kind, places], token => `“${token}”`, weight => written(weight, data.digits)
)"""


# Which cells the script judges otherwise than is wanted, with these numbers in place of torch's.
_MISJUDGED = """({ made: madeOf, difference: { difference } }, [data, wanted]) => {
  const made = madeOf(data);
  const given = Object.fromEntries(
    data.stages.filter(({rule}) => rule === 'given').map(({name}) => [name, made.matrices[name]]));
  return wanted.filter(({matrix, row, column, value, wrong}) => {
    const {columns, values} = made.matrices[matrix];
    const at = row * columns + column;
    const torchs = values[at];
    values[at] = Number(value);
    const found = difference(made, given).unexplained;
    values[at] = torchs;
    return (JSON.stringify(found) === JSON.stringify({matrix, row, column})) !== wrong;
  });
}"""


@given(scenario=edited(setups(max_tokens=6, max_d=4), extremes=True), digits=st.integers(1, 6))
@example(scenario=Scenario("a"), digits=4)
@example(scenario=Scenario("a b c d e", w_q="zeros"), digits=2)
@example(scenario=Scenario("a b", w_q="zeros"), digits=2)
@example(scenario=Scenario("a b c d e", w_q="zeros", causal=True), digits=2)
@example(scenario=Scenario("the cat the the the the", w_q="identity", w_k="identity"), digits=1)
@example(scenario=Scenario("a b c", reads="second", second="c d"), digits=2)
@example(scenario=Scenario("a b c", reads="second", second="c", w_q="zeros"), digits=2)
@example(scenario=Scenario("a b", reads="second", second="a b c", w_q="zeros", mask="padding:1"), digits=2)
@example(scenario=Scenario("a b", reads="second", second="a b", w_q="zeros", mask=[[0, -math.inf], [0, 0]]), digits=2)
@example(scenario=Scenario("a b", reads="kept", second="a", w_q="zeros", causal=True), digits=2)
@example(scenario=Scenario("a b", reads="kept", second="a c", w_q="zeros", mask="window:1"), digits=2)
@example(scenario=Scenario("a b c", reads="kept", second="d a", mask="not-self"), digits=2)
def test_what_a_token_reads_is_said_in_the_words_of_the_core(
    script: PageScript, scenario: Scenario, digits: int
) -> None:
    trace = traced(scenario)
    for query in range(len(scenario.tokens)):
        kind, places = script.run(_READS, [board_data(scenario, trace, query, digits), query])
        assert say(f"summary.reads.{kind}", **places) == attends_most(trace, query, digits)


@given(scenario=edited(setups(max_tokens=4, max_d=4), extremes=True))
@example(scenario=Scenario("a b c", causal=True, edits=(Edit("x", 2, 0, 3e38), Edit("w_k", 0, 0, 3e38))))
def test_a_number_is_judged_wrong_just_beyond_the_tolerance_of_the_core(script: PageScript, scenario: Scenario) -> None:
    trace = traced(scenario)
    wanted = []
    for name, (rows, columns) in attnviz.explanation.shapes_of(trace).items():
        for row, column in {(0, columns - 1), (rows - 1, 0), (rows // 2, columns // 2)}:
            said = explain(trace, name, row, column)
            place = {"matrix": name, "row": row, "column": column}
            if said.masked and said.rule == "scale":
                wanted += [place | {"value": value, "wrong": True} for value in ("1", "NaN", "Infinity")]
            elif said.sources and math.isfinite(said.tolerance):
                wanted.append(place | {"value": "NaN", "wrong": True})
                for part in (-1.01, -0.99, 0.99, 1.01):
                    value = repr(said.exact + part * said.tolerance)
                    wanted.append(place | {"value": value, "wrong": abs(part) > 1})
    assert script.run(_MISJUDGED, [board_data(scenario, trace, 0, 4), wanted]) == []


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
