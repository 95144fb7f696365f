"""Names of matrices, and the table's rows with their texts."""

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
BY_DISTANCE = "by_distance"  # a row for each head, with a number for each distance between tokens
DISTANCE_BIAS = "distance_bias"
DIVIDED, CAPPED = "divided_scores", "capped_scores"  # in a model that caps scores before masking them
ITSELF, SECOND, KEPT = READINGS = ("itself", "second", "kept")  # the sentence whose keys and values the text reads
Y = "y"  # the vectors of the second sentence's tokens, or of the kept sentence's
JOINED = "joined"  # Y, with the text's own vectors below it
E_SCALED = "e_scaled"
E_MEMORY, P_MEMORY = OF_MEMORY = ("e_y", "p_y")  # Y is the sum of these if X is the sum of E and P
E_MEMORY_SCALED = "e_y_scaled"
EDITABLE = tuple(GIVEN)
HEADS = "heads"  # the first part of a head's path


def head_name(head: int, name: str) -> str:
    """Return the name of a matrix of one of several heads."""
    return f"{HEADS}.{head}.{name}"


NOTHING = WhatIf()
_AFTER_SCORES = ("scaled_scores", "attention_weights")  # they have the same rows as the scores


def row(
    name: str, symbol: str, *what: Any, told: str = "", symbols: Mapping[str, str] | None = None,
    what_if: WhatIf = NOTHING, **more: Any,
) -> Stage:  # fmt: skip
    """Return a table's row with its texts, changed by the what-if switches.

    `told`, or else the name, is the key of the texts in the catalogue.
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
    """Return a table joined with a second one, which reads its matrices."""
    return MappingProxyType({**first, **{name: stage for name, stage in second.items() if name not in first}})


def pictured(table: Table) -> tuple[tuple[str, ...], ...]:
    """Return the matrices in a page's order, in groups.

    Each group ends with a given or computed matrix, which follows the learned ones that it's made with.

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
