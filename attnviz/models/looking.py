"""Looking into a model while it computes."""

from collections.abc import Iterable, Sequence
from typing import Any

from torch import Tensor, nn

from attnviz.core.limits import in_short
from attnviz.models.edits import ModelEdit, as_edits
from attnviz.models.modules import look_into_module
from attnviz.models.named import named_of
from attnviz.models.offering import ALONG, included, short_name
from attnviz.models.pretrained import is_pretrained, look
from attnviz.models.trace import ModelTrace


def look_into(
    model: Any, tokenizer: Any = None, text: str | None = None, *, target: str | None = None,
    tokens: Sequence[str] = (), edits: Iterable[ModelEdit | str] = (), q: str | None = None, k: str | None = None,
    v: str | None = None, scale: float | None = None, mask: Tensor | None = None,
) -> ModelTrace:  # fmt: skip
    """Look into a model: compute what it makes of a text, and keep the queries, keys, values and attention weights of
    every head, each as a trace like any other.

    A `model` of transformers that is loaded already comes with its `tokenizer`; "stories" and "all-MiniLM-L6-v2", by
    their names, are those that come along, and have their own. The model itself isn't changed, and what it computes
    isn't either: its plain ("eager") attention. Where that is written out, as in Falcon, Bloom, MPT, GPT-J, GPT-Neo,
    RoFormer and MPNet, it's held to the model's own ``output_attentions``. Models that attend otherwise, as DeBERTa,
    XLNet and Longformer do, are refused with what they do. `target` is what goes into the decoder of a model that has
    an encoder, too.

    ``look_into(module, x)`` does the same for any other module: what nn.MultiheadAttention, nn.TransformerEncoderLayer,
    F.scaled_dot_product_attention or ``softmax(q @ k.mT) @ v``, written out, compute in it for `x`, one sequence
    ``(n_tokens, d)`` or ``(1, n_tokens, d)``; `tokens` are the names of its rows. It computes as after ``.eval()``,
    without dropout, and stays in training itself.

    Where a module writes its attention in another way, `q`, `k` and `v` name what makes queries, keys and values in it:
    submodules or parameters, or one for all three. What is made of these by the formula must be what the module
    computes; the number of heads is found by that. `scale`, which scores are multiplied with, is 1/√d_k or 1 unless it
    is given, and `mask`, of bools or of numbers that are added, none or a causal one.

    With `edits`, the model is changed while it computes, and is itself again afterwards: see
    :class:`attnviz.ModelEdit`. All that comes after is torch's, and `original` of the result is the same without them.

    Raises ``ValueError`` for an empty text, one that is too long for the model, a model that yields numbers that aren't
    finite, one that attends to nothing, one that attends otherwise, and names of parts that don't make what the module
    computes.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.

    >>> import torch
    >>> layer = torch.nn.TransformerEncoderLayer(8, nhead=2, batch_first=True).eval()
    >>> view = look_into(layer, torch.ones(3, 8), tokens=("a", "small", "cat"))
    >>> view.heads[0, 1].attention_weights[0]
    tensor([0.3333, 0.3333, 0.3333])
    >>> off = look_into(layer, torch.ones(3, 8), edits=["0.1.off"])
    >>> bool(off.heads[0, 1].context.any()), off.original.heads[0, 1].context.shape
    (False, torch.Size([3, 4]))
    >>> class Own(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.ask, self.offer, self.give = (torch.nn.Linear(8, 4, bias=False) for _ in range(3))
    ...     def forward(self, x):
    ...         powers = torch.einsum("qd,kd->qk", self.ask(x), self.offer(x)).exp()
    ...         return powers / powers.sum(-1, keepdim=True) @ self.give(x)
    >>> look_into(Own(), torch.ones(3, 8), q="ask", k="offer", v="give").heads[0, 0].attention_weights[0]
    tensor([0.3333, 0.3333, 0.3333])
    """
    changes, named = as_edits(edits), named_of(q, k, v, scale, mask)
    if named is not None and (isinstance(model, str) or is_pretrained(model)):
        raise ValueError("q, k, v, scale or mask is given, expected them with a module of torch alone")
    if isinstance(model, str):
        if model not in ALONG:
            along = " or ".join(map(repr, ALONG))
            raise ValueError(f"model is {in_short(model)}, expected {along} or a model that is loaded already")
        own, its_tokenizer = included(model)
        return look(own, its_tokenizer, text if tokenizer is None else tokenizer, target, model, changes)  # type: ignore[arg-type]
    if is_pretrained(model):
        if tokenizer is None:
            raise ValueError("tokenizer is None, expected the model's own")
        name = short_name(getattr(model, "name_or_path", "")) or type(model).__name__
        return look(model, tokenizer, text, target, name, changes)  # type: ignore[arg-type]
    if not isinstance(model, nn.Module):
        raise ValueError(f"model is {in_short(model)}, expected a model of transformers or a module of torch")
    if text is not None or target is not None:
        raise ValueError("text or target is given with a module of torch, expected x alone: look_into(module, x)")
    return look_into_module(model, tokenizer, tuple(tokens), changes, named)
