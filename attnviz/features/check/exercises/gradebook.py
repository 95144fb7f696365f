"""Sheets to hand in, their keys, and a class's grade book.

Why there is a secret. The program is open: if a sheet were drawn from its number alone, anybody could draw it again,
with the answers. So the inputs of a sheet to hand in are drawn from the teacher's secret and the number, by
HMAC-SHA256: nobody knows from the number what the sheet holds before it is handed out. A student's link holds the
inputs themselves and no seed, and its page has no marks, hints or answers, whatever is changed in the address. The
check word is made from the secret and the whole sheet: students can neither pass off a file as that of another sheet,
nor make up a sheet.

What the secret can't do. Whoever has the inputs can have any calculator work out the answers, and other pages of this
app, too. And `keys.json` holds the secret and all sheets, so it's for the teacher alone.
"""

import hmac
import html
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice
from statistics import mean, median
from types import MappingProxyType
from urllib.parse import quote

import torch

from attnviz.core.attention import AttentionTrace, attend
from attnviz.core.limits import in_short
from attnviz.core.stages import EVERY_STAGE
from attnviz.documents.page import paragraphs, printed_page
from attnviz.export.data import csv_of, for_spreadsheet
from attnviz.features.check.exercises.class_files import in_a_row, page_names, sheets_in_common
from attnviz.features.check.exercises.exercise import (
    DECIMALS,
    RESULTS,
    Exercise,
    decoded,
    is_exercise,
    is_good,
    word_of,
)
from attnviz.features.check.exercises.hand_ins import Marked, results_of
from attnviz.features.check.exercises.mistakes import do_rows_differ, mistakes, work_of
from attnviz.features.check.marking.settings import symbol_of
from attnviz.features.check.marking_page import STYLE, marking_page
from attnviz.words import say
from attnviz.words.numbers import written

_STYLE = """
.points { border-collapse: collapse; margin: 0.5rem 0 1rem; font-variant-numeric: tabular-nums; }
.points td, .points th { border: 1px solid #999; padding: 0.15rem 0.6rem; text-align: right; font-weight: 400; }
.points td:first-child, .points th:first-child { text-align: left; }
"""
MOST_POINTS = 1000.0


class Points:
    """The points of each result, shared equally between its cells."""

    def __init__(self, points: Sequence[float], sheets: Iterable[Exercise]) -> None:
        names = results_of(sheets)
        if not points:
            points = (1.0,) * len(names)
        if len(points) != len(names):
            asked = ", ".join(map(symbol_of, names))
            raise ValueError(f"points are {len(points)}, expected {len(names)}, for {asked}")
        self.of = dict(zip(names, points, strict=True))

    def got(self, each: Marked) -> dict[str, float]:
        """Return a hand-in's points for each result of its sheet."""
        return {name: round(self.of[name] * share, 2) for name, share in each.shares().items()}

    def total(self, each: Marked) -> float:
        """Return a hand-in's points, all results together."""
        return round(sum(self.of[name] * share for name, share in each.shares().items()), 2)

    def most(self, each: Marked) -> float:
        """Return the points that its sheet is worth."""
        return sum(self.of[name] for name in each.shares())


def points_of(text: str) -> tuple[float, ...]:
    """Read how many points each result is worth: "2,2,3".

    >>> points_of("2,2.5")
    (2.0, 2.5)
    """
    try:
        points = tuple(float(each) for each in text.split(",") if each.strip())
    except ValueError:
        points = (-1.0,)
    if not all(0 <= each <= MOST_POINTS for each in points):
        raise ValueError(f"points are {text!r}, expected numbers from 0 to {MOST_POINTS:g} with commas between them")
    return points


def gradebook_csv(marked: Sequence[Marked], points: Points) -> str:
    """Return hand-ins as CSV: sheet, points, first error, what isn't read."""
    heads = {
        key: say(f"exercises.class.csv.{key}") for key in ("file", "sheet", "total", "of", "first", "cause", "told")
    }
    lines = [[heads["file"], heads["sheet"], *map(symbol_of, points.of), *[*heads.values()][2:]]]
    common = sheets_in_common(marked)
    for each in marked:
        got = points.got(each)
        words = each.verdict
        others = [other.name for other in common.get(each.sheet, ()) if other is not each]
        told = [*each.remarks, *([say("exercises.class.also", names=in_a_row(others))] if others else [])]
        texts = (words.first_error if words else "", "; ".join(said for _, said in each.causes), " ".join(told))
        totals = (points.total(each), points.most(each)) if each.marking else ("", "")
        row = [each.name, each.sheet, *(got.get(name, "") for name in points.of), *totals, *texts]
        lines.append([for_spreadsheet(cell) if isinstance(cell, str) else f"{cell:g}" for cell in row])
    return csv_of(lines)


def student_page(each: Marked, points: Points) -> str:
    """Return a student's page: points, remarks and every mark."""
    title = say("exercises.class.page_title", name=each.name, sheet=each.sheet or "–")
    if each.marking is None or each.exercise is None:
        return printed_page(title, _STYLE, paragraphs(each.remarks))
    got = points.got(each)
    rows = [[EVERY_STAGE[name].title, _number(value), _number(points.of[name])] for name, value in got.items()]
    rows.append([say("exercises.class.total"), _number(points.total(each)), _number(points.most(each))])
    heads = [say(f"exercises.class.{key}") for key in ("result", "points", "of")]
    above = f"<style>{_STYLE}</style>{_table(heads, rows)}{paragraphs([*each.remarks, *_misfits(each)])}"
    return marking_page(each.marking, each.exercise.tokens, title, above=above)


def _misfits(each: Marked) -> list[str]:
    return [f"{said}." for kind, said in each.causes if kind.split()[0] in {misfit.name for misfit in each.misfits}]


def class_page(marked: Sequence[Marked], points: Points) -> str:
    """Return a class's statistics: points, wrong cells, and slips by frequency."""
    done = [each for each in marked if each.marking]
    totals = [points.total(each) for each in done]
    said = [say("exercises.class.summary", n=len(done), all=len(marked))]
    if totals:
        places = {"mean": mean(totals), "median": median(totals), "least": min(totals), "most": max(totals)}
        said.append(say("exercises.class.totals", **{key: _number(value) for key, value in places.items()}))
    body = paragraphs(said) + _of_results(done, points) + _of_causes(done) + _of_cells(done) + _untold(marked)
    body += _of_common(marked) + _of_all(marked, points)
    return printed_page(say("exercises.class.title"), _STYLE, STYLE + body)


def _of_common(marked: Sequence[Marked]) -> str:
    rows = [[sheet, in_a_row([each.name for each in those])] for sheet, those in sheets_in_common(marked).items()]
    return _section("common", [say(f"exercises.class.csv.{key}") for key in ("sheet", "file")], rows)


def _of_all(marked: Sequence[Marked], points: Points) -> str:
    """Return all hand-ins, each a link to its page."""
    heads = "".join(
        f'<th scope="col">{html.escape(say(f"exercises.class.csv.{key}"))}</th>' for key in ("file", "sheet", "total")
    )
    rows = "".join(
        f'<tr><td><a href="{html.escape(quote(page))}">{html.escape(each.name)}</a></td>'
        f"<td>{html.escape(each.sheet)}</td><td>{_number(points.total(each)) if each.marking else '–'}</td></tr>"
        for each, page in zip(marked, page_names(marked), strict=True)
    )
    heading = f"<h2>{html.escape(say('exercises.class.of_all'))}</h2>"
    return f'{heading}<table class="points"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'


def _of_results(done: Sequence[Marked], points: Points) -> str:
    rows = []
    for name, worth in points.of.items():
        got = [each.shares()[name] for each in done if name in each.shares()]
        whole = sum(share == 1 for share in got)
        average = _number(worth * mean(got)) if got else "–"
        rows.append([EVERY_STAGE[name].title, average, _number(worth), f"{whole} / {len(got)}"])
    return _section("results", [say(f"exercises.class.{key}") for key in ("result", "average", "of", "whole")], rows)


def _of_causes(done: Sequence[Marked]) -> str:
    counted = Counter(kind for each in done for kind, _ in dict(each.causes).items())
    example = {kind: said for each in reversed(done) for kind, said in each.causes}
    rows = [[example[kind], str(n)] for kind, n in counted.most_common()]
    return _section("causes", [say(f"exercises.class.{key}") for key in ("cause", "often")], rows)


def _of_cells(done: Sequence[Marked]) -> str:
    counted = Counter(cell for each in done if each.marking for cell in each.marking.wrong)
    rows = [
        [EVERY_STAGE[name].at(row, column), str(n)]
        for (name, row, column), n in sorted(counted.items(), key=lambda of: (-of[1], of[0]))
    ]
    return _section("cells", [say(f"exercises.class.{key}") for key in ("cell", "often")], rows)


def _untold(marked: Sequence[Marked]) -> str:
    rows = [[each.name, " ".join(each.remarks)] for each in marked if each.remarks]
    return _section("told", [say(f"exercises.class.csv.{key}") for key in ("file", "told")], rows)


def _section(key: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    heading = f"<h2>{html.escape(say(f'exercises.class.of_{key}'))}</h2>"
    return heading + (_table(heads, rows) if rows else paragraphs([say("exercises.class.none")]))


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{html.escape(each)}</th>' for each in heads)
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f'<table class="points"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _number(value: float) -> str:
    return written(value, 2)


_TRIES = 4000
_MORE_TRIES = 400  # further tries for rows that differ, once a fair sheet is found; some sizes hardly have any
_WORK = {True: (0.5, 0.65), False: (0.9, 1.0)}  # `integers` -> least and most work_of, as in most sheets
MOST_KEYS = 1000


def sheet_to_hand_in(like: Exercise, secret: bytes) -> Exercise:
    """Return a fair sheet like an exercise, its inputs drawn from `secret`.

    It is as much work as others of its sizes. No two rows of its attention weights are printed alike, if the sizes
    leave room for that. Raises ``ValueError`` if there is no fair sheet.
    """
    like = replace(like, fair=True, distinct=False)
    seed = hmac.digest(secret, like.encoded().encode(), "sha256")
    generator = torch.Generator().manual_seed(int.from_bytes(seed[:4]))
    least, most = _WORK[like.integers]
    found: list[torch.Tensor] | None = None
    last = _TRIES
    for n, inputs in enumerate(islice(like.draws(generator), _TRIES)):
        if n > last:
            break
        x, w_q, w_k, w_v = inputs
        trace = attend(x, w_q, w_k, w_v, scale=like.scale, tokens=like.tokens)
        if _are_ws_apart(*inputs) and least <= work_of(trace) <= most and is_good(trace) and _shows_each(trace):
            found, last = inputs, min(last, n + _MORE_TRIES) if found is None else last
            if do_rows_differ(trace, DECIMALS):
                break
    if found is not None:
        text = like.with_inputs(found, word_of("")).encoded()
        return like.with_inputs(found, word_of(text, secret))
    raise ValueError(f"no fair sheet has d_in = {like.d_in} and d_k = {like.d_k}, expected larger ones, or decimals")


def _are_ws_apart(x: torch.Tensor, *ws: torch.Tensor) -> bool:
    """Whether no miscopied number makes a W look like another.

    A miscopied number changes only one row, or one column, of a product.
    """
    differ = (x @ (one - other) != 0 for one, other in combinations(ws, 2))
    return all(each.any(1).sum() > 1 and each.any(0).sum() >= min(2, each.shape[1]) for each in differ)


def _shows_each(trace: AttentionTrace) -> bool:
    """Whether each mistaken rule changes two or more cells, unlike a slip."""
    tables = ((name, getattr(trace, name).numpy().round(DECIMALS) + 0.0) for name in RESULTS)
    return all(
        int((mistake.values != right).sum()) > 1
        for name, right in tables
        for mistake in mistakes(trace, name, DECIMALS)
    )


def keys_json(exercises: Iterable[Exercise], secret: str = "") -> str:
    """Return the teacher's file of keys, from which sheets are made again."""
    sheets = [exercise.encoded() for exercise in exercises]
    return json.dumps({"attnviz": "keys", "secret": secret, "sheets": sheets}, indent=1) + "\n"


def read_keys(text: str) -> Mapping[int, Exercise]:
    """Return a class's sheets by number; ``ValueError`` for another file."""
    try:
        sheets = json.loads(text)["sheets"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ValueError("the key isn't one, expected the keys.json that attnviz exercise writes") from None
    if not isinstance(sheets, list) or not 1 <= len(sheets) <= MOST_KEYS:
        raise ValueError(f"the key has sheets {in_short(sheets)}, expected a list of 1 to {MOST_KEYS}")
    for sheet in sheets:
        if not isinstance(sheet, str) or not is_exercise(sheet) or decoded(sheet).encoded() != sheet:
            raise ValueError(f"the key has sheet {in_short(sheet)}, expected one as attnviz exercise writes it")
    read = map(decoded, sheets)
    return MappingProxyType({exercise.seed: exercise for exercise in read})
