"""Numbers as figures and sentences write them."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.words.numbers import MAX_DIGITS, MIN_DIGITS, number_format, significant, written

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


@pytest.mark.parametrize(("value", "text"), [(math.inf, "∞"), (-math.inf, "−∞"), (math.nan, "NaN"), (2.0, "2")])
def test_a_setting_that_is_no_number_has_its_sign(value: float, text: str) -> None:
    assert significant(value) == text
