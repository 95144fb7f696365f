"""What each layer keeps of the sentence before: what it was handed when that was read alone."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from torch import Tensor

from attnviz.core.layers import OF_TOKENS, in_layer, kept_for, placed
from attnviz.core.scenario.derived import Derived
from attnviz.core.stages import BY_DISTANCE, E_KEPT, ITSELF, P_KEPT, Y
from attnviz.core.trace import run
from attnviz.core.what_if import WhatIf

Whole = TypeVar("Whole", bound=Derived)
_AS_ITS_OWN = {Y: "x", E_KEPT: "e", P_KEPT: "p"}


def read_alone(scenario: Whole) -> Whole:
    """Return the scenario of the kept sentence alone, with the same matrices. Its own tokens have other vectors there:
    those of Y are to be put in their place.

    A mask that goes by places hides as much of it; one that says cell by cell what tokens of the sentence after it may
    read, or that hides the last of these, hides nothing.
    """
    nothing: dict[str, Any] = dict.fromkeys(OF_TOKENS)
    if not scenario.mask_kind.of_all or scenario.mask is not None:
        nothing["masking"] = "none"
    switches = WhatIf(WhatIf.read(scenario.what_if).chosen)  # numbers typed into scores are typed into other ones
    edits = tuple(edit for edit in scenario.edits if placed(edit.matrix)[1] not in OF_TOKENS)
    return replace(scenario, **nothing, text=scenario.second, reads=ITSELF, what_if=switches.text, edits=edits)


def kept_in_layers(alone: Derived, own: Mapping[str, Tensor], given: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return what each layer after the first keeps of the kept sentence, by its name in the table: what the layer
    before makes of it. Of the kept sentence alone, `own` has all that its table starts from, and of the sentence
    itself, `given`.

    Source: Dai et al. 2019, Transformer-XL, section 3.2.
    """
    starts = dict(own)
    for kept, name in _AS_ITS_OWN.items():
        if in_layer(0, kept) in given and in_layer(0, name) in own:
            starts[in_layer(0, name)] = given[in_layer(0, kept)]
    if (distances := given.get(in_layer(0, BY_DISTANCE))) is not None:
        far = (distances.shape[1] + 1) // 2 - len(alone.tokens)  # those of the kept sentence lie around the nearest
        starts[in_layer(0, BY_DISTANCE)] = distances[:, far : distances.shape[1] - far]
    made = run(alone.table, starts)
    return {kept_for(layer): made[in_layer(layer, "x")] for layer in range(1, alone.n_layers)}
