"""Sheets to hand in, and the keys by which these are marked.

Why there is a secret. The program is open: whatever a sheet is drawn from by its number, anybody draws again, with the
answers. So the inputs of a sheet to hand in are drawn from a secret of the teacher's and its number, by HMAC-SHA256:
nobody tells by a number what its sheet holds before it is handed out. A student's link holds the inputs themselves and
no seed, and its page has no marks, no hints and no answers, whatever is changed in the address. The check word is made
of the secret and the whole sheet: a file isn't passed off as that of another sheet, nor a sheet made up.

What that can't do. Who has the inputs can have any calculator work out the answers, other pages of this app, too: that
is what an exercise is. And `keys.json` holds the secret and all that is asked: it's for the teacher alone.
"""

import hmac
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from types import MappingProxyType

import torch

from attnviz.core.attention import AttentionTrace, attend
from attnviz.core.limits import in_short
from attnviz.exercises.exercise import DECIMALS, RESULTS, Exercise, decoded, is_exercise, is_good, word_of
from attnviz.exercises.mistakes import mistakes, work_of

_TRIES = 4000
_WORK = {True: (0.5, 0.65), False: (0.9, 1.0)}  # of whole numbers, of decimals: what most sheets have
MOST_KEYS = 1000


def sheet_to_hand_in(like: Exercise, secret: bytes) -> Exercise:
    """Return the sheet with the number, the sizes and the blanks of an exercise, its inputs drawn from the secret: a
    fair one, and as hard as others of its sizes; ``ValueError`` where there is none."""
    like = replace(like, fair=True)
    seed = hmac.digest(secret, like.encoded().encode(), "sha256")
    generator = torch.Generator().manual_seed(int.from_bytes(seed[:4]))
    least, most = _WORK[like.integers]
    for inputs in islice(like.draws(generator), _TRIES):
        x, w_q, w_k, w_v = inputs
        trace = attend(x, w_q, w_k, w_v, scale=like.scale, tokens=like.tokens)
        if least <= work_of(trace) <= most and is_good(trace) and _shows_each(trace):
            text = like.with_inputs(inputs, word_of("")).encoded()
            return like.with_inputs(inputs, word_of(text, secret))
    raise ValueError(f"no fair sheet has d_in = {like.d_in} and d_k = {like.d_k}, expected larger ones, or decimals")


def _shows_each(trace: AttentionTrace) -> bool:
    """Whether each mistaken rule shows in two cells or more, so that it can't be taken for a slip of the pen."""
    tables = ((name, getattr(trace, name).numpy().round(DECIMALS) + 0.0) for name in RESULTS)
    return all(
        int((mistake.values != right).sum()) > 1
        for name, right in tables for mistake in mistakes(trace, name, DECIMALS)
    )  # fmt: skip


def keys_json(exercises: Iterable[Exercise], secret: str = "") -> str:
    """Write the keys of a class as a file of the teacher's, from which the same sheets can be made again."""
    sheets = [exercise.encoded() for exercise in exercises]
    return json.dumps({"attnviz": "keys", "secret": secret, "sheets": sheets}, indent=1) + "\n"


def read_keys(text: str) -> Mapping[int, Exercise]:
    """Return the sheets of a class by their numbers; ``ValueError`` for a file that isn't one of keys."""
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
