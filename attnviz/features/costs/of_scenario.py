"""The costs of a set-up of the app."""

from attnviz.core.scenario import Scenario
from attnviz.core.stages import KEPT
from attnviz.core.stages.attending import WEIGHTINGS
from attnviz.features.costs.counting import Costs, Grouped, Layer, State
from attnviz.words import say

_WINDOW = "window"


def costs_of(scenario: Scenario) -> Costs:
    """Return the attention layers of a set-up, feed-forward steps left out."""
    return Costs(say("costs.own"), ((scenario.n_layers, _layer(scenario)),))


def _layer(scenario: Scenario) -> Layer:
    heads, kv_heads = scenario.n_heads, scenario.kv_heads
    context = scenario.width_of_context
    out = context if scenario.output else 0
    d_k, d_v = scenario.d_out // heads, context // heads
    if not WEIGHTINGS[scenario.weighting].exponential:
        columns = scenario.d_out + scenario.width_of_keys + scenario.shape_of("w_v")[1]
        weights = scenario.d_in * columns + context * out
        # A head's table is the sum of its keys times its values, with the sum of the keys as one more column.
        kept = kv_heads * d_k * (d_v + 1)
        return State(weights, kept, kv_heads * d_k * d_v + heads * d_k * (d_v + 1))
    others = len(scenario.second_tokens)
    return Grouped(
        scenario.d_in, heads, kv_heads, d_k, d_v, out,
        window=scenario.mask_size if scenario.mask_kind.name == _WINDOW and scenario.mask is None else None,
        beside=others, alone=scenario.reads_others and scenario.reads != KEPT,
    )  # fmt: skip
