"""Stacks of layers, and tables that read a second or kept sentence."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from torch import Tensor

from attnviz.core.given import ONCE, TO_HEADS
from attnviz.core.rules import PassOn
from attnviz.core.stages import E_MEMORY_SCALED, E_SCALED, ITSELF, JOINED, KEPT, OF_MEMORY, Stage, Table, Y
from attnviz.core.tokens import tokenize
from attnviz.words import later

STACK = "layers"
_KEPT = "kept"  # paths begin with it: kept.1 holds the kept vectors that layer 1 reads
_HANDED = "Y_o"  # symbol of a layer's output for the kept sentence, whose input is Y
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def in_layer(layer: int, name: str) -> str:
    """Return the name of a matrix of one of several layers."""
    return f"{STACK}.{layer}.{name}"


def kept_for(layer: int) -> str:
    """Return the name of the kept vectors that a later layer reads."""
    return f"{_KEPT}.{layer}"


def is_kept_for(name: str) -> bool:
    """Whether a name is that of kept vectors for a later layer."""
    return name.startswith(f"{_KEPT}.")


def placed(name: str) -> tuple[int, str]:
    """Return a matrix's layer and its name there; 0 without a path.

    >>> placed("layers.1.w_q"), placed("w_q"), placed("heads.0.w_q")
    ((1, 'w_q'), (0, 'w_q'), (0, 'heads.0.w_q'))
    """
    path, _, rest = name.partition(".")
    layer, _, own = rest.partition(".")
    return (int(layer), own) if path == STACK else (0, name)


def named(layer: int, name: str) -> str:
    """Return the name, in edits, of a layer's matrix.

    >>> named(0, "w_q"), named(1, "w_q")
    ('w_q', 'layers.1.w_q')
    """
    return in_layer(layer, name) if layer else name


def stacked(table: Table, n_layers: int, same: bool = False) -> Table:
    """Return the stages of `n_layers` layers; a single one needs no path.

    If all layers are the `same`, only the first has given matrices, which the others read, too. With a second sentence,
    each layer makes keys and values of its own from the same Y, as a decoder does from an encoder's output. With a kept
    sentence, each later layer reads vectors that are given: what the layer before it made of that sentence.

    Source: Lan et al. 2020, ALBERT, section 3.1, for layers that share all.

    >>> from attnviz.core.stages import layer_table
    >>> table = stacked(layer_table(2, norm="pre"), 2)
    >>> table["layers.0.q"].sources[:2], table["layers.1.x"].sources
    (('layers.0.x_norm', 'layers.0.w_q'), ('layers.0.residual_1',))
    """
    if n_layers == 1:
        return table
    last = list(table)[-1]
    given = {name for name, stage in table.items() if stage.rule is None}
    shared = {name for name in given if same or name in ONCE} - {"x", *[Y] * (JOINED in table)}
    stages: dict[str, Stage] = {}
    for layer in range(n_layers):
        for name, stage in table.items():
            if layer and name in (E_SCALED, E_MEMORY_SCALED, *shared):
                continue
            path = in_layer(layer, "")
            own, sources = stage, stage.sources
            if layer and name == Y and name not in shared:
                own, sources = _passed_on(stage, layer, "y_passed_on"), (kept_for(layer),)
                stages[kept_for(layer)] = _kept_for(stage, layer)
            elif layer and name == "x":
                own, sources = _passed_on(stage, layer, "x_passed_on"), (in_layer(layer - 1, last),)
            called = [
                each
                if each.startswith(f"{STACK}.") or is_kept_for(each)
                else in_layer(0, each)
                if each in shared
                else path + each
                for each in sources
            ]
            titled = own.with_texts(title=stage.texts.title).numbered("layer", layer)
            stages[path + name] = replace(titled, name=path + name, layer=layer, sources=tuple(called))
    return MappingProxyType(stages)


def _passed_on(x: Stage, layer: int, told: str) -> Stage:
    """Return a later layer's stage of X or Y, passed on unchanged."""
    texts = {key: later(f"stages.{told}.{key}", layer=layer - 1) for key in ("plain", "meaning", "short")}
    return replace(x.with_texts(**texts), rule=PassOn())


def _kept_for(y: Stage, layer: int) -> Stage:
    """Return the stage of the kept sentence's vectors for a later layer."""
    symbol = f"{_HANDED}⁽{str(layer - 1).translate(_RAISED)}⁾"
    title = later("stages.y_passed_on.title", symbol=_HANDED, layer=layer - 1)
    kept = _passed_on(y, layer, "y_passed_on").with_texts(title=title)
    return replace(kept, name=kept_for(layer), symbol=symbol, rule=None, sources=(), layer=layer - 1)


def n_layers_in(table: Table) -> int:
    """Return how many layers a table of stages has."""
    return 1 + max((placed(name)[0] for name in table if name.startswith(f"{STACK}.")), default=0)


def is_stack(table: Table) -> bool:
    """Whether a table holds several layers, whose matrices all stand behind paths."""
    return in_layer(0, "q") in table


def layer_in_view(table: Table) -> int:
    """Return the layer whose matrices have plain names, or the first.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> [layer_in_view(layer.stages) for layer in trace(Scenario(d_out=3, n_layers=2)).layers]
    [0, 1]
    """
    return table["scores"].layer if "scores" in table else 0


def of_layer(table: Table, matrices: Mapping[str, Tensor], layer: int) -> tuple[Table, dict[str, Tensor]]:
    """Return one layer's stages and matrices by plain names; nothing is computed."""
    path, first = in_layer(layer, ""), in_layer(0, "")
    shared = {name: own for name, stage in table.items() if stage.rule is None and name.startswith(first)
              for own in [name.removeprefix(first)]} if layer else {}  # fmt: skip
    stages: dict[str, Stage] = {}
    own_matrices: dict[str, Tensor] = {}
    for name, stage in table.items():
        for whole, one in shared.items():
            ahead = stage.head is not None and one in TO_HEADS  # all heads share it, so it comes before them
            if (whole in stage.sources or ahead) and one not in stages and name.startswith(path):
                stages[one], own_matrices[one] = replace(table[whole].unnumbered("layer"), name=one), matrices[whole]
        if not name.startswith(path):
            continue
        own = name.removeprefix(path)
        if own == "x" and layer:
            (before,) = stage.sources
            symbol = f"{table[before].symbol}⁽{str(layer - 1).translate(_RAISED)}⁾"
            stages[before] = replace(table[before], symbol=symbol, rule=None, sources=(), rows="token", part="")
            own_matrices[before] = matrices[before]
        for source in stage.sources:
            if not source.startswith(f"{STACK}."):  # given to the whole stack, such as a token table
                stages[source], own_matrices[source] = table[source], matrices[source]
        sources = tuple(shared.get(source, source.removeprefix(path)) for source in stage.sources)
        stages[own], own_matrices[own] = replace(stage.unnumbered("layer"), name=own, sources=sources), matrices[name]
    return MappingProxyType(stages), own_matrices


_OF_OTHERS = (Y, "k", "v", "k_norm", "rest_k", "k_rotated", "phi_k")
_KEPT_ALONE = (*OF_MEMORY, E_MEMORY_SCALED, Y, f"{Y}_norm")


def reading_others(table: Table, read: tuple[str, ...], n_memory: int = 0) -> Table:
    """Return a table whose keys and values come from the `read` tokens.

    The first `n_memory` of them belong to a kept sentence.
    """
    first_own_key = n_memory or None
    others = (*_OF_OTHERS, *_KEPT_ALONE, JOINED)

    def named(name: str, stage: Stage) -> dict[str, Any]:
        own = name.rpartition(".")[2]
        if own in others:
            return {"rows": "key", "entries": read[:n_memory] if n_memory and own in _KEPT_ALONE else read}
        return (
            {"entries": read, "first_own_key": None if stage.first_own_key is None else first_own_key}
            if stage.columns == "key"
            else {}
        )

    return MappingProxyType(
        {name: replace(stage, **more) if (more := named(name, stage)) else stage for name, stage in table.items()}
    )


def second_tokens(given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the tokens of the second or kept sentence, if any."""
    return () if given.get("reads", ITSELF) == ITSELF else tokenize(given["second"], given["tokenizer"])


def n_read(given: Mapping[str, Any], n_tokens: int) -> int | None:
    """Return how many tokens are read; None if only the text's own."""
    if given.get("reads", ITSELF) == ITSELF:
        return None
    return len(second_tokens(given)) + (n_tokens if given["reads"] == KEPT else 0)
