"""Numbers as people write them: 0.5, −.5, 0,5, 1/2, ½, 50%, 5·10⁻¹.

A text is read if it can mean only one number; one that could mean two, such as 1,234, is refused, and the error names
both. The page's script reads numbers by the same rules; tests/typed_numbers.json tests both.
"""

import math
import re
import unicodedata
from decimal import Decimal
from typing import NamedTuple

from attnviz.core.matrix_input import TOO_LARGE
from attnviz.words import say

MAX_CHARACTERS = 60
MOST_OF_FRACTION = 4  # decimals; a fraction that needs more, such as 1/3, doesn't show how many it has

# Typeset minus signs, and dashes and hyphens that are used as such, for a regular expression's brackets.
MINUS_SIGNS = "\u2212\u2010-\u2015\u207b\u02d7\ufe63\uff0d\u2796"
_MINUS = re.compile(f"[{MINUS_SIGNS}]")
_FULL_WIDTH = {ord(wide): chr(ord(wide) - 0xFEE0) for wide in "０１２３４５６７８９．，＋／％ｅＥ"}
_HIDES = re.compile(r"-\s*(?:inf|infinity|∞)", re.IGNORECASE)
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_RAISED = re.compile("10([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_VULGAR = re.compile("([0-9]?)\\s*([¼-¾⅐-⅞])")
_SLASHES = str.maketrans("⁄∕", "//")

_DIGITS = r"([0-9.,'’]+)"
_TEN_TO = r"10\s*(?:\^|\*\*)\s*\{?\s*([-+]?[0-9]{1,5})\s*\}?"
_TIMES = r"\s*(?:[·⋅∙×*xX]|\\cdot|\\times)\s*"
_DECIMAL = re.compile(rf"{_DIGITS}(?:[eE]([-+]?[0-9]{{1,5}})|{_TIMES}{_TEN_TO})?(\s*\\?%)?")
_POWER = re.compile(_TEN_TO)
# The form of nearly every cell of a large table.
_USUAL = re.compile(r"([-+]?)([0-9]+(?:[.,]([0-9]*))?|[.,]([0-9]+))")
# Blanks may separate thousands, also non-breaking or thin ones, but the same kind each time.
_BLANKS = re.compile(r"([1-9][0-9]{0,2}(?=([ \u00a0\u2009\u202f]))(?:\2[0-9]{3})+(?:[.,][0-9]*)?)(\s*\\?%)?")
_FRACTION = re.compile(rf"(?:([0-9]+)\s+)?{_DIGITS}\s*/\s*{_DIGITS}")

_PLAIN = {".": re.compile(r"[0-9]+\.?[0-9]*|\.[0-9]+"), ",": re.compile(r"[0-9]+,?[0-9]*|,[0-9]+")}
_THOUSANDS = {
    ".": re.compile(r"[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+\.[0-9]*|(?:,[0-9]{3}){2,}|(?:['’][0-9]{3})+(?:\.[0-9]*)?)"),
    ",": re.compile(r"[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+,[0-9]*|(?:\.[0-9]{3}){2,}|(?:['’][0-9]{3})+,[0-9]*)"),
}


class NoNumberError(ValueError):
    """An error whose `reason` is empty, no_number, two_ways, zero or too_large."""

    def __init__(self, text: str, reason: str) -> None:
        """Keep the text and the reason."""
        super().__init__(f"{text[:40]!r} is no number ({reason})")
        self.text = text
        self.reason = reason


class TypedNumber(NamedTuple):
    """A number, its decimals (None for 1/3), and how it's written.

    Negative decimals count digits before the point: 1.2e5 has -4, because its last digit shown is that of ten
    thousands. `either` is the sign that begins the decimals, "." or ",", if it could also separate thousands, as in
    1,234.
    """

    value: float
    decimals: int | None
    by_power: bool = False  # written with a power of ten
    comma: bool = False  # written with a decimal comma
    either: str = ""


def hides(text: str) -> bool:
    """Whether a text is −∞, which only a mask may hold.

    >>> hides(" −∞ "), hides("-inf"), hides("inf")
    (True, True, False)
    """
    return len(text) <= MAX_CHARACTERS and _HIDES.fullmatch(_MINUS.sub("-", text.strip())) is not None


def parse_number(text: str) -> float:
    """Read one number that float32 can hold, as typed into a cell.

    Raises :class:`NoNumberError` for any other text, and for one that could mean two numbers.
    """
    value = read_number(text, blanks=True).value
    if abs(value) >= TOO_LARGE:
        raise NoNumberError(text, "too_large")
    return value


def read_number(text: str, *, decimal_sign: str = ".", blanks: bool = False) -> TypedNumber:
    """Read one number, with the decimals that it shows.

    `decimal_sign` says which sign, "." or ",", begins the decimals of a text that could mean two numbers; with the
    other sign, such a text, "1,234" or "1.234", is refused. "" accepts both, see ``TypedNumber.either``. With `blanks`,
    blanks may separate thousands; in a table, they can't, because they separate columns.

    Raises :class:`NoNumberError` for a text that isn't a finite number, or could be two.
    """
    if len(text) > MAX_CHARACTERS:
        raise NoNumberError(text, "no_number")
    number = usual_number(text) or _spelled(text, blanks)
    if decimal_sign and number.either not in ("", decimal_sign):
        raise NoNumberError(text, "two_ways")
    return number


def is_number(text: str) -> bool:
    """Whether a text is a number, whichever sign begins its decimals.

    >>> is_number("1,234"), is_number("the")
    (True, False)
    """
    try:
        read_number(text, decimal_sign="")
    except NoNumberError:
        return False
    return True


def usual_number(text: str) -> TypedNumber | None:
    """Read a number of digits and one sign; None for other texts."""
    if not (match := _USUAL.fullmatch(text)) or len(text) > MAX_CHARACTERS:
        return None
    sign, digits, behind, alone = match.groups()
    comma = "," in digits
    value = float(digits.replace(",", ".") if comma else digits)
    return TypedNumber(-value if sign == "-" else value, len(behind or alone or ""), False, comma, _either(digits))


def _either(digits: str) -> str:
    """Return a sign that could also separate thousands, as in 1,234."""
    sign = digits[-4:-3]
    return sign if sign in (".", ",") and 5 <= len(digits) <= 7 and digits[0] != "0" else ""


def _spelled(text: str, blanks: bool) -> TypedNumber:
    plain = _in_ascii(text)
    if not plain:
        raise NoNumberError(text, "empty")
    sign = -1.0 if plain[0] == "-" else 1.0
    bare = plain[1:].lstrip() if plain[0] in "+-" else plain
    if blanks and (grouped := _BLANKS.fullmatch(bare)):
        bare = grouped[1].replace(grouped[2], "") + (grouped[3] or "")
    if power := _POWER.fullmatch(bare):
        number = _scaled(text, "1", int(power[1]))
    elif decimal := _DECIMAL.fullmatch(bare):
        number = _decimal(text, decimal)
    elif fraction := _FRACTION.fullmatch(bare):
        number = _fraction(text, fraction)
    else:
        raise NoNumberError(text, "no_number")
    return number._replace(value=sign * number.value)


def _in_ascii(text: str) -> str:
    """Return a text with typeset digits and signs made plain."""
    if text.isascii():
        return text.strip()
    plain = _RAISED.sub(lambda raised: f"10^{raised[1].translate(_SUPERSCRIPT)}", text.strip())
    plain = _MINUS.sub("-", plain.translate(_FULL_WIDTH))
    plain = _VULGAR.sub(lambda one: f"{one[1]} {unicodedata.normalize('NFKC', one[2])}".lstrip(), plain)
    return plain.translate(_SLASHES)


def _decimal(text: str, match: re.Match[str]) -> TypedNumber:
    exponent = int(match[2] or match[3] or 0)
    digits, comma, either = _with_point(text, match[1])
    number = _scaled(text, digits, exponent - (2 if match[4] else 0))
    powered = bool(match[2] or match[3])
    return number._replace(by_power=powered, comma=comma, either="" if powered else either)


def _scaled(text: str, digits: str, exponent: int) -> TypedNumber:
    value = float(f"{digits}e{exponent}")
    if not math.isfinite(value):
        raise NoNumberError(text, "too_large")
    return TypedNumber(value, len(digits.partition(".")[2]) - exponent, by_power=True)


def _fraction(text: str, match: re.Match[str]) -> TypedNumber:
    above, comma_above, either_above = _with_point(text, match[2])
    below, comma_below, either_below = _with_point(text, match[3])
    divisor = float(below)
    if divisor == 0:
        raise NoNumberError(text, "zero")
    value = (float(match[1] or 0) * divisor + float(above)) / divisor
    if not math.isfinite(value):
        raise NoNumberError(text, "too_large")
    decimals = decimals_of(value) if decimals_of(value) <= MOST_OF_FRACTION else None
    return TypedNumber(value, decimals, False, comma_above or comma_below, either_above or either_below)


def decimals_of(value: float) -> int:
    """Return how many decimals a number needs.

    >>> decimals_of(0.25), decimals_of(3.0), decimals_of(1e-7)
    (2, 0, 7)
    """
    if not math.isfinite(value):
        return 0
    exponent = Decimal(repr(value)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _with_point(text: str, digits: str) -> tuple[str, bool, str]:
    """Return digits with a point, whether by comma, and any ambiguous sign."""
    for sign in ".", ",":
        other = "," if sign == "." else "."
        if _THOUSANDS[sign].fullmatch(digits):
            return re.sub(r"['’]", "", digits.replace(other, "")).replace(sign, "."), sign == ",", ""
        if _PLAIN[sign].fullmatch(digits):
            return digits.replace(sign, "."), sign in digits and sign == ",", _either(digits)
    raise NoNumberError(text, "no_number")


def why_no_number(error: NoNumberError, shown: str) -> str:
    """Say why a text, quoted as `shown`, isn't a number."""
    if error.reason == "two_ways":
        small, large = two_meanings(error.text)
        return say("typed.two_ways", text=shown, small=small, large=large)
    return say(f"typed.{error.reason}", text=shown)


def two_meanings(text: str) -> tuple[str, str]:
    """Return the two numbers that a text refused for two_ways could mean."""
    plain = _in_ascii(text)
    return plain.replace(",", "."), plain.replace(",", "").replace(".", "")
