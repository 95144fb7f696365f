"""Changes of matrices as text in a URL.

``w_q.0.1.0.9*w_v.identity*w_k.random.42`` is W_q[0, 1] = 0.9, W_v replaced by the identity, W_k drawn alone
from seed 42. ``x.example.love-ai`` is X as that worked example states it. A long text is packed.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from attnviz.core import limits
from attnviz.core.carry_over import fits
from attnviz.core.changes import GIVEN, Changes, Replacement, change_texts, name_from_text, name_in_text
from attnviz.core.matrix_input import EXAMPLE_FILL, FILLS, RANDOM_FILL, TOO_LARGE, Edit, is_editable
from attnviz.core.scenario import Scenario
from attnviz.core.seeding.vectors import stated_matrix
from attnviz.core.stages import MASK
from attnviz.link.codecs import Codec, Raw, TooMuchError, UnreadableError, is_packed, pack, unpack, unreadable_part
from attnviz.words import thousands

MAX_CHANGES_CHARACTERS = 1_000_000  # limit of the unpacked text
AS_DRAWN = ".drawn"  # the board writes this for a cell whose edit was undone
LONGEST_PLAIN = 1500  # characters up to which changes aren't packed, so that people can read them in a URL


class ChangesText(Codec):
    """The codec of changes."""

    def decode(self, raw: str) -> Changes:
        changes, ignored, unreadable = _decoded(raw)
        if unreadable:
            raise unreadable_part(unreadable, "changes", Changes())
        if ignored:
            raise _refusal(ignored, changes)
        return changes

    def encode(self, value: Changes) -> str:
        return encode_changes(value)


def with_unfitting(error: UnreadableError | None, left: Changes, scenario: Scenario) -> UnreadableError | None:
    """Return the error for unreadable changes and for those left out.

    It's None if there are neither. Changes are left out if the scenario's matrices have no such cell, or too many
    edits.

    >>> with_unfitting(None, Changes((Edit("w_q", 9, 9, 1.0),)), Scenario()).facts["refused"]
    (_Refused(part='w_q.9.9.1.0', why='misfit', value=''),)
    """
    if error and "refused" not in error.facts:
        return error  # no part of the text could be read
    before: Any = error.facts["refused"] if error else ()
    without_room = Changes(tuple(edit for edit in left.edits if fits(edit, scenario)))
    unfitting = Changes(tuple(edit for edit in left.edits if not fits(edit, scenario)), left.replaced)
    parts = [
        *before,
        *(_Refused(part, "no_room") for part in change_texts(without_room)),
        *(_Refused(part, "misfit") for part in change_texts(unfitting)),
    ]
    return _refusal(parts, error.rest if error else None) if parts else None


class _Refused(NamedTuple):
    """A refused change, and why: number, too_large, unreadable, no_room or misfit."""

    part: str
    why: str
    value: str = ""


def _refusal(parts: Sequence[_Refused], rest: Changes | None) -> UnreadableError:
    """Return an error for refused changes, with the first one's reason."""
    refused = tuple(sorted(parts, key=lambda each: each.why == "misfit"))
    part, why, value = refused[0]
    return UnreadableError(
        f"links.changes.{why}",
        rest,
        refused=refused,
        n=len(refused),
        first=Raw(part),
        value=Raw(value),
        most=thousands(limits.MAX_EDITS),
    )


@lru_cache(maxsize=8)  # every run needs it, and packing tens of thousands of numbers takes 0.1 s
def encode_changes(changes: Changes) -> str:
    """Return changes as URL text, packed if long."""
    text = "*".join(change_texts(changes))
    return text if len(text) <= LONGEST_PLAIN else pack(text)


def decode_changes(text: str) -> tuple[Changes, list[str]]:
    """Return the changes in a URL text, and its unreadable parts."""
    changes, ignored, unreadable = _decoded(text)
    return changes, [*(each.part for each in ignored), *([text[:40] + "…"] if unreadable else [])]


@lru_cache(maxsize=8)
def _decoded(text: str) -> tuple[Changes, tuple[_Refused, ...], ValueError | None]:
    """Return changes, unreadable parts, and the error if all is unreadable."""
    try:
        packed, _, more = text.partition("*") if is_packed(text) else ("", "", text)  # the board appends edits
        plain = "*".join(filter(None, (packed and unpack(packed, MAX_CHANGES_CHARACTERS), more)))
    except ValueError as error:
        return Changes(), (), error.with_traceback(None)  # without its traceback, which the cache would keep
    if len(plain) > MAX_CHANGES_CHARACTERS:
        return Changes(), (), TooMuchError()
    edits: dict[tuple[str, int, int], Edit] = {}
    replaced: dict[str, Replacement] = {}
    ignored: list[_Refused] = []
    for part in plain.split("*") if plain else []:
        called, _, rest = part.partition(".")
        name = name_from_text(called)
        try:
            if rest.endswith(AS_DRAWN):
                row, column = rest.removesuffix(AS_DRAWN).split(".")
                edits.pop((name, int(row), int(column)), None)
                continue
            change = _change(name, rest)
            if not is_editable(name) or name_in_text(name) != called:
                raise _RefusedError("misfit")
            if isinstance(change, Edit):
                edits[change[:3]] = change
            else:
                replaced[name] = change
        except _RefusedError as error:
            ignored.append(_Refused(part, error.why, error.value))
        except ValueError:
            ignored.append(_Refused(part, "unreadable"))
    return Changes(tuple(edits.values()), tuple(replaced.items())), tuple(ignored), None


class _RefusedError(ValueError):
    def __init__(self, why: str, value: str = "") -> None:
        super().__init__(why, value)
        self.why, self.value = why, value


def _change(name: str, rest: str) -> Edit | Replacement:
    if rest in FILLS or rest.startswith(("random.", "example.", GIVEN)):
        return _fill(name, rest)
    row, column, value = rest.split(".", 2)
    if not value:
        raise ValueError(rest)
    return Edit(name, int(row), int(column), -math.inf if name == MASK and value == "-inf" else _number(value))


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise _RefusedError("number", text) from None
    if math.isnan(number):
        raise _RefusedError("number", text)
    if abs(number) >= TOO_LARGE:
        raise _RefusedError("too_large", text)
    return number


def _fill(name: str, rest: str) -> Replacement:
    if rest in FILLS:
        return rest
    if rest.startswith(GIVEN):
        return tuple(tuple(float(value) for value in row.split("_")) for row in rest.removeprefix(GIVEN).split("__"))
    if rest.startswith("example."):
        example = rest.removeprefix("example.")
        if stated_matrix(example, name) is None:
            raise _RefusedError("misfit")
        return f"{EXAMPLE_FILL}{example}"
    seed = limits.check_whole("seed", int(rest.removeprefix("random.")), 0, limits.MAX_SEED)
    return f"{RANDOM_FILL}{seed}"
