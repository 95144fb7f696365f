"""Removing what programs print or write around numbers; nothing is evaluated."""

import re
from collections.abc import Callable
from itertools import pairwise

from attnviz.core.limits import ReaderError
from attnviz.typed_numbers import MINUS_SIGNS
from attnviz.words import say

_OUT = re.compile(r"(?m)^([ \t]{0,8})Out ?\[[0-9]{0,6}\]:")
CODE_OF_R = (
    r"(?<![\w.])(?:[rc]bind|matrix|array|structure)\("
    r"\s{0,4}(?:\.?[dD]ata\s{0,4}=\s{0,4})?(?:\w{1,30}\s{0,4}=\s{0,4})?c\("
)
# R code that makes a matrix, and print-outs of Julia and Sage. The print-outs of R, Octave and Matlab can be read.
_NOT_READ = re.compile(
    rf"(?m){CODE_OF_R}|^[ \t]{{0,8}}(?:julia>|sage:)"
    r"|^[ \t]{0,8}[0-9]{1,5}[×x][0-9]{1,5} (?:(?:[A-Za-z]\w{0,30}\.)?[A-Z]\w{0,30}\{|(?:adjoint|transpose)\(::)"
    r"[^\n]{0,150}:[ \t]*$"
)
_PROMPT = re.compile(r"[ \t]{0,8}(?:>>>(?= |$)|In ?\[[0-9 *]{0,6}\]:|octave(?::[0-9]{1,6})?>|>>(?= )|>(?= )) ?")
_CONTINUED = re.compile(r"[ \t]{0,12}(?:\.\.\.:?|\+) ")
_FENCE = re.compile(r"(?m)^[ \t]{0,8}(?:```|~~~)[^\n`]{0,60}$")
_BARS = str.maketrans(dict.fromkeys("│┃║┆┇┊┋╎╏", "|"))
_FRAME = re.compile(r"(?m)^[ \t]*[+|┌├└╞╘╒╔╠╚╟╭╰┏┡┗╪┼═─━╌┄┈╍┅┉-][-=+|:┬┼┴╤╪╧╦╬╩╫┐┤┘╡╛╕╗╣╝╢╮╯┳╇┻┓┩┛═─━╌┄┈╍┅┉╪ \t]*$")
_PIECES = str.maketrans(dict.fromkeys("⎡⎢⎣⎤⎥⎦⎛⎜⎝⎞⎟⎠", " "))
_SCALAR = re.compile(
    r"(?<![\w.])(?:(?:np|numpy|jnp|torch|tf|builtins)\.)?(?:u?int|b?float|double|single)(?:8|16|32|64|128)?_?"
    r"\(\s{0,4}([^\s()\[\]{},'\"]{1,60})\s{0,4}\)"
)
_SCALAR_TENSOR = re.compile(
    r"(?<![\w.])(?:torch\.|tf\.)?(?:tensor|Array|mpf|mpfr|Decimal|N)\(\s{0,4}['\"]?([-+0-9.eEinf"
    + MINUS_SIGNS
    + r"]{1,60})['\"]?"
    r"(?:,\s{0,4}\w{1,20}=(?:<[^<>]{0,60}>|[^,()<>]{0,40}))*\s{0,4}\)"
)
_ENDLESS = re.compile(r"(?<![\w.])float\(\s{0,4}(['\"])\s{0,4}([-+]?(?:inf|infinity))\s{0,4}\1\s{0,4}\)", re.IGNORECASE)
_NAMED = re.compile(r"(?<![\w.])(?:np|numpy|jnp|torch|math)\.(inf|nan)(?!\w)")  # as in code
_FRACTION = re.compile(r"(?<![\w.])(?:Fraction|Rational)\(\s{0,4}(-?[0-9]{1,15}),\s{0,4}([0-9]{1,15})\s{0,4}\)")
_FOOT = re.compile(
    r"(?m)^[ \t]*(?:\[[0-9]{1,9} rows x [0-9]{1,9} columns\]|shape: \([0-9, ]{1,20}\)"
    r"|(?:Name: [^\n]{0,60}, |Length: [0-9]{1,9}, )?dtype: \w{1,20}|Diagonal Matrix)[ \t]*$"
)
_R_ROW = re.compile(r"(?m)^([ \t]*)\[([0-9]{1,5}),\]")
_R_HEAD = re.compile(r"(?<![\w.\]])\[,([0-9]{1,5})\]")
_R_VECTOR = re.compile(r"(?m)^[ \t]{0,8}\[([0-9]{1,6})\](?=[ \t]+[-+0-9.NI])")
_FOOTNOTE = re.compile(r"(?<=[0-9*])\[\^?[a-z0-9]{1,2}\](?=[ \t]*(?:$|[|,;&\n\t]| ))")
_FACTOR = re.compile(r"[ \t]*1(?:\.0{1,8})?e([-+][0-9]{2,3})[ \t]*\*[ \t]*")
_BARE_NUMBER = re.compile(r"(?<![\w.])[0-9]{1,20}(?:\.[0-9]{0,20})?(?![\w.])")
_OF_COLUMNS = re.compile(r"\s*Columns? [0-9]")
_BRACES = re.compile(r"\s*(?:\w{1,30}\s*=\s*)?\{\s*(?:\{\s*)?[-+.0-9]")


def plainly(text: str) -> str:
    """Return a text without what programs print around their numbers.

    Raises ``ValueError`` for R code, and for print-outs of Julia and Sage.
    """
    if _NOT_READ.search(text):
        raise ReaderError(say("tables.not_read"))
    for make_plain in FORMS:
        text = make_plain(text)
    return text


def _prompts(text: str) -> str:
    """Keep a session's output, or its input if there is no output."""
    text = _OUT.sub(lambda found: " " * len(found[0]), text)
    if ">" not in text and ":" not in text:
        return text
    lines = text.split("\n")
    inputs = [bool(_PROMPT.match(line)) for line in lines]
    if not any(inputs):
        return text
    for i, line in enumerate(lines[1:], 1):
        inputs[i] |= inputs[i - 1] and bool(_CONTINUED.match(line))
    printed = [line for line, is_input in zip(lines, inputs, strict=True) if not is_input and line.strip()]
    if printed:
        return "\n".join("" if is_input else line for line, is_input in zip(lines, inputs, strict=True))
    return "\n".join(_CONTINUED.sub("", _PROMPT.sub("", line, count=1), count=1) for line in lines)


def _frames(text: str) -> str:
    """Turn drawn frames into Markdown's signs, keeping the rule below the head."""
    if re.search("[│┃║⎡⎢⎣⎛⎜⎝─━═]", text):
        text = text.translate(_BARS).translate(_PIECES)
        text = re.sub("(?m)^([ \t]*)[^\\S\n]*[├╞┡╠][^\n]*$", r"\1|---|", text)
        return _FRAME.sub(lambda found: found[0] if "|---|" in found[0] else "", text)
    if re.search(r"(?m)^[ \t]*\+[-=+]{2,}\+[ \t]*$", text):  # +----+, above, below and between the rows
        lines = text.split("\n")
        rules = [i for i, line in enumerate(lines) if _FRAME.fullmatch(line) and "+" in line]
        for k, i in enumerate(rules):
            lines[i] = "|---|" if (k == 1 and len(rules) == 3) or "=" in lines[i] else ""
        return "\n".join(lines)
    return text


def _calls(text: str) -> str:
    """Replace np.float64(0.5), tensor(0.5), np.inf and Fraction(1, 2) by their numbers."""
    text = _NAMED.sub(r"\1", text)
    if "(" not in text:
        return text
    text = _SCALAR.sub(r"\1", _ENDLESS.sub(r"\2", text))
    return _FRACTION.sub(r"\1/\2", _SCALAR_TENSOR.sub(r"\1", text))


def _tuples(text: str) -> str:
    """Make round brackets of tuples square, but not those of calls."""
    if "(" not in text or "|" in text or "\\" in text:
        return text
    if not re.match(
        r"\s*(?:[\w ]{1,40}[=:]\s*)?(?:[\w.]{1,40}\(\s*)?[(\[]\s*[(\[]?\s*[-+.0-9(" + MINUS_SIGNS + "]", text
    ):
        return text
    opened: list[int] = []
    signs, before = list(text), ""
    for i, sign in enumerate(text):
        if sign == "(":
            is_call = before.isalnum() or before in ("_", ")", "]") or (before == "=" and bool(opened))
            opened.append(-1 if is_call else i)
        elif sign == ")" and opened:
            start = opened.pop()
            if start >= 0:
                signs[start], signs[i] = "[", "]"
        before = before if sign.isspace() else sign
    return "".join(signs)


def _braces(text: str) -> str:
    """Make Mathematica's and C's braces square brackets, and 1.5*^-7 1.5e-7."""
    if not _BRACES.match(text) or re.search("[\"'\\\\\\[]", text):
        return text
    return text.replace("{", "[").replace("}", "]").replace("*^", "e")


def _names_of_r(text: str) -> str:
    """Turn R's row and column numbers, [1,] and [,1], into names."""
    if "[" not in text:
        return text
    text = _FOOTNOTE.sub("", _R_HEAD.sub(r"column\1", _R_ROW.sub(r"\1row\2", text)))
    starts = [int(found[1]) for found in _R_VECTOR.finditer(text)]
    if len(starts) > 1 and starts == list(range(starts[0], starts[0] + len(starts))):
        return _R_VECTOR.sub(r"row\1", text)
    if starts and starts[0] == 1 and all(before < after for before, after in pairwise(starts)):
        return " ".join(_R_VECTOR.sub("", text).split("\n"))
    return text


def _factor(text: str) -> str:
    """Apply the power of ten that Matlab prints once above a table."""
    if "*" not in text:
        return text
    lines, power = text.split("\n"), ""
    for i, line in enumerate(lines):
        if found := _FACTOR.fullmatch(line):
            power, lines[i] = found[1], ""
        elif power and not _OF_COLUMNS.match(line):
            lines[i] = _BARE_NUMBER.sub(rf"\g<0>e{power}", line)
    return "\n".join(lines)


_DECLARED = re.compile(
    r"\s*(?:(?:static|const|constexpr|final|public|private|var|let|auto|new|unsigned|long|val)\s+){0,5}"
    r"(?:(?:double|float|int|decimal|f32|f64|Double|Float|std::\w{1,10}(?:<[^;={}]{0,60}>)?)\s*)?(?:\[\s*,?\s*\]\s*){0,3}"
    r"(\w{1,30})?\s*(?:\[[\w ]{0,20}\]\s*){0,3}(?::[^={}\n]{0,40})?=?\s*"
    r"(?:new\s+\w{1,10}\s*(?:\[\s*,?\s*\]\s*){1,3})?(?=\{)"
)
_COMMENTS = re.compile(r"//[^\n]{0,400}|/\*[^*]{0,400}\*/")
_IN_BRACES = re.compile(r"[\s{}\-+.,0-9eEfFdDL" + MINUS_SIGNS + r"]*;?\s*")


def declared_in_braces(text: str) -> str:
    """Return an array of C, Java and the like in brackets.

    >>> declared_in_braces("double q[2][2] = {{0.5f, 1}, {2, 3}};")
    '[[0.5, 1], [2, 3]]'
    """
    if "{" not in text or not (found := _DECLARED.match(text)) or not found[0].strip():
        return text
    inner = _COMMENTS.sub("", text[found.end() :])
    if not _IN_BRACES.fullmatch(inner):
        return text
    inner = re.sub(r"(?<=[0-9.])[fFdDL]\b", "", inner.strip().rstrip(";").rstrip())
    inner = re.sub(r",\s*(?=\})", "", inner)  # a closing comma
    return inner.replace("{", "[").replace("}", "]")


# Functions that remove or rewrite one form each, in this order.
FORMS: tuple[Callable[[str], str], ...] = (
    _prompts,
    lambda text: _FENCE.sub("", text) if "```" in text or "~~~" in text else text,
    _frames,
    _calls,
    declared_in_braces,
    _tuples,
    _braces,
    lambda text: _FOOT.sub("", text),
    _names_of_r,
    _factor,
)
