"""How attention changed: each step is a set-up beside an earlier one."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from attnviz.core.attention import AttentionTrace
from attnviz.core.heads import without_head
from attnviz.core.layers import placed
from attnviz.core.scenario import Scenario, traced
from attnviz.core.stages import Stage
from attnviz.words import Later, later, say

# The settings that all steps have in common: a sentence, few features, two heads.
_COMMON: Mapping[str, Any] = MappingProxyType({
    "text": later("history.sentence"), "tokenizer": "whitespace", "embedding": "stable", "d_in": 4, "d_out": 4,
    "init": "linear", "n_heads": 2, "output": True, "d_ff": 8,
})  # fmt: skip
_ENCODER = {"norm": "post", "positions": "sinusoidal", "embedding_factor": True}
_DECODER = {"norm": "pre", "positions": "learned", "activation": "gelu", "causal": True}


def _scenario(settings: Mapping[str, Any]) -> Scenario:
    both: dict[str, Any] = {**_COMMON, **settings}
    return Scenario(**(both | {name: str(each) for name, each in both.items() if isinstance(each, Later)}))


@dataclass(frozen=True)
class Step:
    """One step: its settings, its paper, and the base to compare with."""

    name: str
    settings: Mapping[str, Any]
    base: str
    paper: str

    def said(self, key: str) -> str:
        """Return the step's text with this key: "title", "line", "more" or "paper"."""
        return say(f"history.steps.{self.name}.{key}")

    @property
    def scenario(self) -> Scenario:
        """The step's set-up."""
        return _scenario(self.settings)


def _step(name: str, paper: str, settings: Mapping[str, Any], base: str) -> Step:
    return Step(name, MappingProxyType(dict(settings)), base, f"https://arxiv.org/abs/{paper}")


STEPS = (  # roughly in chronological order
    _step("cross_attention", "1409.0473",
          _DECODER | {"causal": False, "reads": "second", "second": later("history.original")}, "gpt_without_mask"),
    _step("transformer", "1706.03762", _ENCODER, "one_head"),
    _step("bert", "1810.04805",
          _ENCODER | {"positions": "learned", "embedding_factor": False, "activation": "gelu",
                      "text": later("history.masked")}, "transformer"),
    _step("gpt", "2005.14165", _DECODER, "gpt_without_mask"),
    _step("kept_sentence", "1901.02860",
          _DECODER | {"positions": "relative", "reads": "kept", "second": later("history.earlier")}, "relative"),
    _step("t5", "1910.10683", _DECODER | {"positions": "relative", "scale": False}, "gpt"),
    _step("albert", "1909.11942", _ENCODER | {"n_layers": 2, "same_layers": True}, "two_layers"),
    _step("multi_query", "1911.02150", _DECODER | {"n_kv_heads": 1}, "gpt"),
    _step("window", "2004.05150", _DECODER | {"causal": False, "masking": "window", "mask_size": 3}, "gpt"),
    _step("linear", "2006.16236", _DECODER | {"weighting": "linear"}, "gpt"),
    _step("rotary", "2104.09864", _DECODER | {"positions": "rotary"}, "gpt"),
    _step("alibi", "2108.12409", _DECODER | {"positions": "alibi"}, "gpt"),
)  # fmt: skip

# Set-ups that steps are compared with, but that aren't steps.
_BASES = {
    "one_head": _ENCODER | {"n_heads": 1},
    "two_layers": _ENCODER | {"n_layers": 2},
    "gpt_without_mask": _DECODER | {"causal": False},
    "relative": _DECODER | {"positions": "relative"},
}

# The matrix that shows what a step changed, with its head and its layer, where that isn't the attention weights.
_PICTURED = {
    "bert": ("p", 0, 0), "t5": ("scaled_scores", 0, 0), "albert": ("w_q", 0, 1), "multi_query": ("k", 1, 0),
    "rotary": ("scores", 0, 0), "alibi": ("scaled_scores", 0, 0),
}  # fmt: skip

# Steps without a board, because they changed no stage of attention; with their sources.
WITHOUT_PICTURE: Mapping[str, str] = MappingProxyType({
    "experts": "https://arxiv.org/abs/2101.03961",
    "state_space": "https://arxiv.org/abs/2312.00752",
    "scaling_laws": "https://arxiv.org/abs/2001.08361",
})  # fmt: skip


def step_named(name: str) -> Step:
    """Return the step of this name."""
    return next(step for step in STEPS if step.name == name)


def compared_with(step: Step) -> Scenario:
    """Return the set-up to compare a step with."""
    if step.base in _BASES:
        return _scenario(_BASES[step.base])
    return step_named(step.base).scenario


def pictured(step: Step) -> tuple[str, list[AttentionTrace]]:
    """Return a step's matrix to show, and its traces before and now."""
    name, head, layer = _PICTURED.get(step.name, ("attention_weights", 0, 0))
    return name, [traced(each).for_head(head, layer) for each in (compared_with(step), step.scenario)]


def difference(before: Scenario, after: Scenario) -> dict[str, dict[str, Stage]]:
    """Return the "new", "other" and "gone" stages, without head and layer.

    Computed stages are compared by rule and sources, given inputs by their numbers, learned matrices by their shapes.

    >>> {kind: [*each] for kind, each in difference(Scenario("a cat"), Scenario("a cat", causal=True)).items()}
    {'new': ['mask'], 'other': ['scaled_scores'], 'gone': []}
    """
    old, now = before.table, after.table

    def within(names: set[str], table: Mapping[str, Stage]) -> dict[str, Stage]:
        return {own: table[name] for name in table if name in names and (own := without_head(placed(name)[1]))}

    both = set(old) & set(now)
    same = {name for name in both if _row(before, old[name]) == _row(after, now[name])}
    new, other, gone = within(set(now) - both, now), within(both - same, now), within(set(old) - both, old)
    return {
        "new": {name: stage for name, stage in new.items() if name not in gone},
        "other": other | {name: stage for name, stage in new.items() if name in gone},
        "gone": {name: stage for name, stage in gone.items() if name not in new},
    }


def _row(scenario: Scenario, stage: Stage) -> tuple[object, ...]:
    """Return the values by which two set-ups' stages are compared."""
    if stage.rule is not None:
        return stage.rule, stage.sources
    name = stage.name if scenario.n_layers == 1 else stage.name.removeprefix("layers.0.")
    if stage.origin == "learned":
        return (scenario.shape_of(name),)
    return tuple(map(tuple, scenario.matrix(name).tolist()))


def changed_in_words(step: Step) -> list[str]:
    """Say which matrices a step brought, changed or removed."""
    own = step.base in _BASES
    beside = say(f"history.bases.{step.base}") if own else f"“{step_named(step.base).said('title')}”"
    kinds: dict[str, str] = {}  # title -> kind: a matrix of one head and of all heads is listed once
    for kind, stages in difference(compared_with(step), step.scenario).items():
        kinds = dict.fromkeys(map(_title, stages.values()), kind) | kinds
    told = {kind: [title for title, of in kinds.items() if of == kind] for kind in ("new", "other", "gone")}
    return [
        say("history.changed.beside", step=beside),
        *(say(f"history.changed.{kind}", matrices="; ".join(titles)) for kind, titles in told.items() if titles),
    ]


def named(stage: Stage) -> str:
    """Return a matrix's title; a bare symbol with what it is."""
    return f"{stage.title}, {stage.short}" if stage.title == stage.symbol else stage.title


def _title(stage: Stage) -> str:
    """Return a matrix's title, without the numbers of head and layer."""
    return named(stage.unnumbered("layer").unnumbered("head"))
