"""What a person types is the number that is meant, or is refused; and numbers as figures and sentences write them."""

import json
import math
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attnviz.core.matrix_input import TOO_LARGE
from attnviz.typed_numbers import NoNumberError, parse_number, read_number, two_meanings, why_no_number
from attnviz.words.numbers import MAX_DIGITS, MIN_DIGITS, number_format, significant, written

# The page's script is held to the same file, in test_board_script.py.
CASES = json.loads((Path(__file__).parents[2] / "typed_numbers.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("text", "value"), CASES["numbers"])
def test_a_number_is_read_as_a_person_means_it(text: str, value: float) -> None:
    read = parse_number(text)
    assert read == value
    assert math.copysign(1, read) == math.copysign(1, value)


@pytest.mark.parametrize(("text", "reason"), CASES["refused"])
def test_what_is_no_number_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(NoNumberError) as caught:
        parse_number(text)
    assert caught.value.reason == reason
    assert caught.value.text == text
    said = why_no_number(caught.value, "“…”")
    assert "float32" not in said
    assert said.startswith("“…”") or reason == "empty"


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_a_number_comes_back_however_it_is_written(value: float) -> None:
    plain = repr(value)
    assert parse_number(plain) == parse_number(plain.replace("-", "−")) == value
    if "e" in plain or not read_as_two(plain.replace(".", ",")):
        assert parse_number(plain.replace(".", ",")) == value
    ten_to = plain.replace("e", "·10^")
    assert ten_to == plain or parse_number(ten_to) == value


def read_as_two(text: str) -> bool:
    try:
        parse_number(text)
    except NoNumberError as error:
        return error.reason == "two_ways"
    return False


@given(st.integers(-999, 999).filter(bool), st.integers(0, 999))
def test_what_could_be_two_numbers_is_either_where_the_sign_is_known(whole: int, part: int) -> None:
    text = f"{whole},{part:03}"
    assert read_as_two(text)
    small, large = map(float, two_meanings(text))
    assert small == read_number(text, decimal_sign=",").value
    assert abs(large) == abs(whole) * 1000 + part
    assert read_number(text.replace(",", ".")).value == small
    with pytest.raises(NoNumberError):
        read_number(text.replace(",", "."), decimal_sign=",")


@given(st.text(max_size=70) | st.text("0123456789.,;-+eE/½⅓·^'%− 10", max_size=12))
@example("½½")
@example("1 ½ 1/2")
def test_any_text_is_a_finite_number_or_refused(text: str) -> None:
    try:
        value = parse_number(text)
    except NoNumberError as error:
        why_no_number(error, "“…”")  # a reason that has its sentence
        return
    assert abs(value) < TOO_LARGE


@pytest.mark.parametrize(
    ("text", "decimals"),
    [("0,50", 2), ("5", 0), ("5.", 0), (".125", 3), ("42.2%", 3), ("1.5e-3", 4), ("1.5e3", -2), ("1/4", 2),
     ("1/3", None), ("½", 1), ("10^-2", 2), ("1,234.5", 1), ("1/32", None)],
)  # fmt: skip
def test_decimals_are_those_that_are_shown(text: str, decimals: int | None) -> None:
    assert read_number(text).decimals == decimals


digits = st.integers(MIN_DIGITS, MAX_DIGITS)
finite = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(finite, digits)
def test_a_written_number_is_right_to_its_last_digit(value: float, digits: int) -> None:
    text = written(value, digits)
    mantissa, _, exponent = text.partition("e")
    unit = Decimal(10) ** (int(exponent.replace("−", "-") or 0) - len(mantissa.partition(".")[2]))
    assert abs(Decimal(text.replace("−", "-")) - Decimal(value)) <= unit / 2
    assert (float(text.replace("−", "-")) == 0) == (value == 0), "never as zero unless it is"
    assert text.startswith("−") == (value < 0), "also where it is no more than the zero's sign"
    assert "-" not in text.partition("e")[0]


@pytest.mark.parametrize(
    ("value", "text"),
    [(math.inf, "∞"), (-math.inf, "−∞"), (math.nan, "NaN"), (0.0, "0.0000"), (-0.0, "0.0000"), (0.22641, "0.2264")],
)
def test_what_is_no_number_has_its_sign(value: float, text: str) -> None:
    assert written(value, 4) == text
    assert math.isfinite(value) or significant(value) == text


@given(st.floats(0, 3.4e38), digits)
def test_python_and_d3_know_every_format(largest: float, digits: int) -> None:
    number = number_format(largest, digits)
    assert number in {f".{n}{kind}" for n in range(1, 7) for kind in "fe"}
    format(largest, number)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 17))
def test_a_setting_is_written_as_shortly_as_its_digits_allow(value: float, digits: int) -> None:
    text = significant(value, digits)
    assert Decimal(text.replace("−", "-")) == Decimal(f"{value:.{digits}g}")
    assert text.startswith("−") == (value < 0)
    assert "-" not in text
