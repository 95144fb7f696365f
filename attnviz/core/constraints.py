"""Constraints between settings: how to check, mend and explain them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Any

from attnviz.core import limits
from attnviz.core.layers import n_read, second_tokens
from attnviz.core.limits import Kinds
from attnviz.core.masks import ADDED, CAUSAL, MASKS, NONE, USES
from attnviz.core.seeding import EMBEDDINGS, POSITIONS
from attnviz.core.seeding.word_classes import FEATURES
from attnviz.core.stages import BLOCKS, ITSELF, KEPT, WEIGHTINGS
from attnviz.core.stages.attending import Conflict
from attnviz.core.what_if import SWITCHES, TYPED, WhatIf
from attnviz.words import say

Facts = dict[str, Any]


class RequestedSettings:
    """Settings as requested, each valid by itself, and what follows from them."""

    def __init__(self, values: Mapping[str, Any], n_tokens: int) -> None:
        self.values, self.n_tokens = values, n_tokens

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    @property
    def width(self) -> int:
        """The number of the context's columns."""
        width: int = self["d_out"] if self["d_v"] is None else self["d_v"]
        return width

    @property
    def kv_heads(self) -> int:
        """How many heads of keys and values there are."""
        return int(self["n_heads"] if self["n_kv_heads"] is None else self["n_kv_heads"])

    @property
    def mask(self) -> str:
        """The kind of mask that is drawn."""
        return CAUSAL if self["causal"] else str(self["masking"])

    @property
    def reads(self) -> str:
        """Which sentence's keys and values are read: one of READINGS."""
        return str(self.values.get("reads", ITSELF))

    @cached_property
    def what_if(self) -> WhatIf:
        """The switches that are on."""
        return WhatIf.read(self.values.get("what_if", ""))

    @cached_property
    def n_read(self) -> int | None:
        """The number of tokens read; None if the text reads only itself."""
        return n_read(self.values, self.n_tokens)

    @cached_property
    def n_second(self) -> int:
        """How many tokens the second sentence has, or the kept one."""
        return len(second_tokens(self.values))


@dataclass(frozen=True)
class Constraint:
    """A rule that settings must meet together.

    - `name`: the key of its sentence in `refused.toml`.
    - `broken`: returns the facts of that sentence if the settings break the rule, else None.
    - `mend`: returns the settings to change, given all settings and these facts; several such steps may be needed.
    - `then`: the key of a longer sentence, in which a page also says which value of the setting `of` it uses until the
      reader changes something; blank where the first sentence says so itself.
    """

    name: str
    broken: Callable[[RequestedSettings], Facts | None]
    mend: Callable[[Mapping[str, Any], Facts], Facts]
    then: str = ""
    of: str = ""

    def said(self, values: Mapping[str, Any], why: str) -> str:
        """Say why settings were refused, and which `values` are used instead."""
        return say(self.then, why=why, n=values[self.of]) if self.then else why


def _put(**settings: Any) -> Callable[[Mapping[str, Any], Facts], Facts]:
    return lambda values, facts: settings


def _one_less(name: str) -> Callable[[Mapping[str, Any], Facts], Facts]:
    return lambda values, facts: {name: values[name] - 1}


def _fewer_heads(values: Mapping[str, Any], facts: Facts) -> Facts:
    """Return the next smaller number of heads that divides every width."""
    widths = [values[name] for name in ("d_out", "d_v") if values[name] is not None]
    return {"n_heads": next(n for n in range(values["n_heads"] - 1, 0, -1) if not any(width % n for width in widths))}


def _divisors(number: int) -> str:
    return ", ".join(str(n) for n in range(1, min(number, limits.MAX_HEADS) + 1) if number % n == 0)


def _by_class(setup: RequestedSettings) -> bool:
    return EMBEDDINGS[setup.values.get("embedding", "stable")].by_class


def _heads(setup: RequestedSettings) -> Facts | None:
    widths = ((name, setup[name]) for name in ("d_out", "d_v") if setup[name] is not None)
    return next(({"heads": setup["n_heads"], "size": name, "width": width, "fitting": _divisors(width)}
                 for name, width in widths if width % setup["n_heads"]), None)  # fmt: skip


def _rotary(setup: RequestedSettings) -> Facts | None:
    width = setup["d_out"] // setup["n_heads"]
    return {"d_out": setup["d_out"], "width": width} if POSITIONS[setup["positions"]].turns and width % 2 else None


def _as_wide(needed: bool, setup: RequestedSettings) -> Facts | None:
    return {"width": setup.width, "d_in": setup["d_in"]} if needed and setup.width != setup["d_in"] else None


def _kv_heads(setup: RequestedSettings) -> Facts | None:
    n_heads, n_kv_heads = setup["n_heads"], setup.kv_heads
    if n_heads % n_kv_heads:
        return {"kv_heads": n_kv_heads, "heads": n_heads, "fitting": _divisors(n_heads)}
    return None


def _scores(setup: RequestedSettings) -> Facts | None:
    heads = setup["n_heads"] * setup["n_layers"]
    if heads * setup.n_tokens**2 <= limits.MAX_SCORES:
        return None
    most = int((limits.MAX_SCORES / heads) ** 0.5)
    return {"layers": setup["n_layers"], "heads": setup["n_heads"], "tokens": setup.n_tokens, "most": most}


def _reads_positions(setup: RequestedSettings) -> Facts | None:
    needs_places = POSITIONS[setup["positions"]].of_one_sentence
    return {"positions": setup["positions"]} if _of_another(setup) and needs_places else None


def _of_another(setup: RequestedSettings) -> bool:
    """Whether a second sentence, with positions of its own, is read."""
    return setup.reads not in (ITSELF, KEPT)


def _room(setup: RequestedSettings) -> int:
    """Return how many tokens of another sentence may be read."""
    return limits.MAX_TOKENS - (setup.n_tokens if setup.reads == KEPT else 0)


def _reads_tokens(setup: RequestedSettings) -> Facts | None:
    if setup.n_second <= _room(setup):
        return None
    return {"which": setup.reads, "n": setup.n_second, "most": _room(setup)}


def _reads_scores(setup: RequestedSettings) -> Facts | None:
    """Return facts if reading another sentence makes too many scores.

    Its "most" is how many of that sentence's tokens fit, below 1 if not even one does.
    """
    if setup.reads == ITSELF:
        return None
    heads, n, n_second = setup["n_heads"] * setup["n_layers"], setup.n_tokens, setup.n_second
    beside = n if setup.reads == KEPT else 0
    alone = _is_read_alone(setup)
    if heads * max(n * (n_second + beside), alone * n_second**2) <= limits.MAX_SCORES:
        return None
    each = limits.MAX_SCORES // heads
    most = min(each // n - beside, isqrt(each) if alone else each)
    return {"which": setup.reads, "heads": heads, "tokens": n, "most": most, "each": each}


def _reads_scores_full(setup: RequestedSettings) -> Facts | None:
    facts = _reads_scores(setup)
    if facts is None or facts["most"] >= 1:
        return None
    return facts | {"most": max(fit for fit in range(setup.n_tokens) if fit * (fit + 1) <= facts["each"])}


def _is_read_alone(setup: RequestedSettings) -> bool:
    """Whether the kept sentence also goes through all layers by itself."""
    return bool(setup.reads == KEPT and setup["n_layers"] > 1)


def _reads_nothing(setup: RequestedSettings) -> Facts | None:
    """Return the mask if it hides the only kept token from itself."""
    if not (_is_read_alone(setup) and setup.n_second == 1 and setup.values.get("mask") is None):
        return None
    kind = MASKS[setup.mask]
    return {"masking": kind.name} if kind.of_all and kind.hidden(1, 1, setup.values.get("mask_size", 1)).all() else None


def _typed(setup: RequestedSettings) -> Facts | None:
    n_keys = setup.n_tokens if setup.n_read is None else setup.n_read
    for row, column, number in setup.what_if.typed:
        if row >= setup.n_tokens or column >= n_keys:
            part = WhatIf().typing(row, column, number).text
            return {"part": part, "row": row, "column": column, "tokens": min(setup.n_tokens, n_keys)}
    return None


def _without(values: Mapping[str, Any], facts: Facts) -> Facts:
    """Return the switches without the part that was refused."""
    return {"what_if": ",".join(part for part in WhatIf.read(values["what_if"]).parts if part != facts["part"])}


def _of_switches() -> Iterator[Constraint]:
    """Yield the constraints of the what-if switches."""
    ways = [(switch.name, way) for switch in SWITCHES.values() for way in switch.ways.values()]
    for refusal in dict.fromkeys(way.refusal for _, way in ways if way.refusal):
        own = {(switch, way.name): way for switch, way in ways if way.refusal == refusal}

        def broken(setup: RequestedSettings, own: Any = own) -> Facts | None:
            on = ((f"{switch}:{way.name}", way.conflict(setup)) for switch, way in setup.what_if.ways
                  if (switch, way.name) in own)  # fmt: skip
            return next(({"part": part, **facts} for part, facts in on if facts is not None), None)

        yield Constraint(refusal, broken, _without)
    yield Constraint(f"what_if_{TYPED}", _typed, _without)


def _of_weightings() -> Iterator[Constraint]:
    """Yield the constraints of each weighting."""
    for weighting in WEIGHTINGS.values():
        for conflict in weighting.conflicts:

            def broken(setup: RequestedSettings, name: str = weighting.name, own: Conflict = conflict) -> Facts | None:
                facts = own.facts(setup) if setup.values.get("weighting", "softmax") == name else None
                return None if facts is None else dict(facts)

            yield Constraint(conflict.refusal, broken, _put(weighting="softmax"))


_ITSELF = _put(reads=ITSELF)

CONSTRAINTS: Kinds[Constraint] = Kinds("constraint", (
    Constraint("two_masks", lambda setup: {"masking": setup["masking"]}
               if setup["causal"] and setup["masking"] != NONE else None, _put(masking=NONE)),
    Constraint("class_width", lambda setup: {"d_in": setup["d_in"]}
               if _by_class(setup) and setup["d_in"] != len(FEATURES) else None, _put(embedding="stable")),
    Constraint("class_tokenizer", lambda setup: {"tokenizer": setup["tokenizer"]}
               if _by_class(setup) and setup["tokenizer"] == "characters" else None, _put(embedding="stable")),
    Constraint("factor", lambda setup: {"positions": setup["positions"]}
               if POSITIONS[setup["positions"]].biases and USES[setup["mask_use"]].times_scores else None,
               _put(mask_use=ADDED)),
    *_of_weightings(),
    Constraint("heads", _heads, _fewer_heads, "setup.heads.used", "n_heads"),
    Constraint("rotary", _rotary, _put(positions="none"), "setup.positions.unused", "positions"),
    Constraint("block", lambda setup: _as_wide(BLOCKS[setup["norm"]].adds, setup), _put(norm="none"),
               "setup.norm.unused", "norm"),
    Constraint("layers", lambda setup: _as_wide(setup["n_layers"] != 1, setup), _put(n_layers=1),
               "setup.n_layers.unused", "n_layers"),
    Constraint("kv_heads", _kv_heads, _one_less("n_kv_heads"), "setup.heads.of_keys", "n_kv_heads"),
    Constraint("scores_of_layers", lambda setup: _scores(setup) if setup["n_layers"] > 1 else None,
               _one_less("n_layers"), "setup.n_layers.unused", "n_layers"),
    Constraint("scores_of_heads", lambda setup: _scores(setup) if setup["n_layers"] == 1 else None,
               _fewer_heads, "setup.heads.used", "n_heads"),
    Constraint("reads_positions", _reads_positions, _ITSELF),
    Constraint("reads_mask", lambda setup: {"masking": setup.mask}
               if _of_another(setup) and MASKS[setup.mask].by_places else None, _ITSELF),
    Constraint("reads_full", lambda setup: {"tokens": setup.n_tokens, "most": limits.MAX_TOKENS - 1}
               if _room(setup) < 1 else None, _ITSELF),
    Constraint("reads_blank", lambda setup: {"which": setup.reads}
               if setup.reads != ITSELF and not setup.n_second else None, _ITSELF),
    Constraint("reads_tokens", _reads_tokens, _ITSELF),
    Constraint("reads_scores_full", _reads_scores_full, _ITSELF),
    Constraint("reads_scores", _reads_scores, _ITSELF),
    Constraint("reads_nothing", _reads_nothing, _ITSELF),
    *_of_switches(),
))  # fmt: skip
