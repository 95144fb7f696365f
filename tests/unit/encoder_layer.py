"""PyTorch's own encoder layer, which a block is held to."""

import torch
from torch import nn

from attnviz import AttentionTrace, Scenario


def encoder_layer(scenario: Scenario, made: AttentionTrace) -> nn.TransformerEncoderLayer:
    """Return the layer that has the weights of a block."""
    d_ff = scenario.d_ff
    assert d_ff is not None
    layer = nn.TransformerEncoderLayer(
        scenario.d_in, scenario.n_heads, d_ff, dropout=0.0, activation=scenario.activation, batch_first=True,
        norm_first=scenario.norm == "pre",
    )  # fmt: skip
    weights = {
        "self_attn.in_proj_weight": torch.cat([made.w_q.T, made.w_k.T, made.w_v.T]),
        "self_attn.in_proj_bias": torch.cat([made["b_q"], made["b_k"], made["b_v"]]),
        "self_attn.out_proj.weight": made["w_o"].T, "self_attn.out_proj.bias": made["b_o"],
        "linear1.weight": made["w_1"].T, "linear1.bias": made["b_1"],
        "linear2.weight": made["w_2"].T, "linear2.bias": made["b_2"],
        "norm1.weight": made["gamma_1"], "norm1.bias": made["beta_1"],
        "norm2.weight": made["gamma_2"], "norm2.bias": made["beta_2"],
    }  # fmt: skip
    layer.load_state_dict(weights)
    return layer
