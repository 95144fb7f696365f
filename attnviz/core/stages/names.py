"""Names of matrices, and table rows with what the catalogue says."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from attnviz.core.given import GIVEN
from attnviz.core.rules.stage import Stage, Table, Texts, lowered
from attnviz.core.what_if import SCORES, Recipe, WhatIf
from attnviz.words import later

BIASES = ("b_q", "b_k", "b_v")
OUTPUT = ("w_o", "b_o")
LAYERS = ("w_1", "b_1", "w_2", "b_2")
GAINS = ("gamma_1", "gamma_2")
NORMS = ("gamma_1", "beta_1", "gamma_2", "beta_2")
MASK = "mask"
BY_DISTANCE = "by_distance"  # a number for each distance of two tokens, a row for each head
DISTANCE_BIAS = "distance_bias"
DIVIDED, CAPPED = "divided_scores", "capped_scores"  # of a model that caps scores before it masks them
ITSELF, SECOND, KEPT = READINGS = ("itself", "second", "kept")  # whose keys and values a sentence reads
Y = "y"  # the vectors of the tokens that are read, where these are others, or of those that were kept
JOINED = "joined"  # these, and those of the sentence below them
E_SCALED = "e_scaled"
E_KEPT, P_KEPT = OF_KEPT = ("e_y", "p_y")  # what Y is made of where X is made of E and P, by the same rules
E_KEPT_SCALED = "e_y_scaled"
EDITABLE = tuple(GIVEN)
HEADS = "heads"  # what the path of one of several heads begins with


def head_name(head: int, name: str) -> str:
    """Return the name of a matrix of one of several heads."""
    return f"{HEADS}.{head}.{name}"


NOTHING = WhatIf()
_AFTER_SCORES = ("scaled_scores", "attention_weights")  # whose rows are those of the scores


def row(
    name: str, symbol: str, *what: Any, told: str = "", symbols: Mapping[str, str] | None = None,
    what_if: WhatIf = NOTHING, **more: Any,
) -> Stage:  # fmt: skip
    """Return a table's row as the switches change it, with its texts.

    They stand in the catalogue under `told`, or its name.
    """
    *kinds, rule, sources = (*what, None, ())[:5]
    made, switched = what_if.changed(name, Recipe(rule, sources, told))
    product = made.rule.formula(*(symbols[source] for source in made.sources)) if symbols and made.rule else ""
    texts = Texts.of(f"stages.{made.told or name}", product=product)
    if what_if.get(SCORES) == "keys-first" and name in _AFTER_SCORES:
        texts = texts._replace(axes=later("stages.scores_keys_first.axes"))
    more |= {"rule": made.rule, "sources": made.sources, "switched": switched}
    return Stage(name, symbol, texts, *kinds, **more)


def table_of(*stages: Stage) -> Table:
    """Return the table of these rows, in their order."""
    return MappingProxyType({stage.name: stage for stage in stages})


def followed_by(first: Table, second: Table) -> Table:
    """Return a table continued by another, whose given matrices it makes."""
    return MappingProxyType({**first, **{name: stage for name, stage in second.items() if name not in first}})


def pictured(table: Table) -> tuple[tuple[str, ...], ...]:
    """Return the matrices in a page's order, in groups.

    Each one that is given or computed stands behind the learned ones it is made with.

    >>> from attnviz.core.stages import attention_table
    >>> pictured(attention_table(biases=("b_q",)))[:4]
    (('x',), ('w_q', 'b_q', 'q'), ('w_k', 'k'), ('w_v', 'v'))
    """
    return tuple(
        (*(source for source in stage.sources if table[source].origin == "learned"), name)
        for name, stage in table.items()
        if stage.origin != "learned"
    )


def formula_of(name: str, table: Table) -> str:
    """Return a stage's formula in symbols; of a given one, its symbol.

    >>> from attnviz.core.stages import attention_table
    >>> formula_of("scaled_scores", attention_table(2, temperature=2.0, mask=True))
    'Q Kᵀ / (√d_k · 2) + M'
    >>> formula_of("q", attention_table(2))
    'X W_q + b_q'
    """
    stage = table[name]
    if stage.rule is None:
        return stage.symbol
    spelt_out = stage.rule.spells_sources
    return stage.rule.formula(
        *(formula_of(source, table) if spelt_out else _symbol_in(stage, table[source]) for source in stage.sources)
    )


def _symbol_in(stage: Stage, source: Stage) -> str:
    """Return a source's symbol, numbered where a stage uses all heads."""
    return (
        source.symbol if source.number is None or stage.head is not None else f"{source.symbol}{lowered(source.number)}"
    )
