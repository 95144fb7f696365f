"""Uses of a model, and what each token costs."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attnviz.core.arguments import typed
from attnviz.features.language_models.inside.trace import ModelTrace
from attnviz.words import say, thousands


def has_next(view: ModelTrace) -> bool:
    """Whether a model scores each token that may come next."""
    logits = getattr(view.result, "logits", None)
    decodes = view.original.kinds if view.original is not None else view.kinds
    return isinstance(logits, Tensor) and logits.dim() == 3 and "decoder" in decodes


def last_vectors(view: ModelTrace) -> Tensor | None:
    """Return the last layer's vectors ``(n_tokens, d)``: the decoder's beside an encoder."""
    vectors = getattr(view.result, "last_hidden_state", None)
    return vectors[0].detach() if isinstance(vectors, Tensor) and vectors.dim() == 3 else None


def has_vector(view: ModelTrace) -> bool:
    """Whether a model makes one vector of a sentence, as encoders do."""
    kinds = view.original.kinds if view.original is not None else view.kinds
    return kinds == ("encoder",) and isinstance(getattr(view.result, "last_hidden_state", None), Tensor)


@typed
def sentence_vector(view: ModelTrace) -> Tensor:
    """Return a sentence's vector ``(d,)`` in float64: its tokens' vectors, averaged.

    Raises ``ValueError`` for a model that isn't an encoder alone.

    Source: Reimers and Gurevych 2019, Sentence-BERT, section 3 (mean pooling).
    """
    if not has_vector(view):
        raise ValueError(f"{view.name} makes no vector of a sentence, expected an encoder")
    vectors: Tensor = view.result.last_hidden_state[0].detach().double().cpu()  # a single sentence has no padding
    return vectors.mean(0)


@typed
def similarity(one: ModelTrace, other: ModelTrace) -> float:
    """Return the cosine of two sentences' vectors, from -1 to 1.

    >>> from attnviz import look_into
    >>> sunny, lovely = (look_into("all-MiniLM-L6-v2", text=text) for text in
    ...     ("It's so sunny outside!", "The weather is lovely today."))
    >>> round(similarity(sunny, lovely), 3)
    0.666
    """
    mine, others = sentence_vector(one), sentence_vector(other)
    if mine.shape != others.shape:
        raise ValueError(f"vectors have {len(mine)} and {len(others)} numbers, expected two sentences of one model")
    return float(torch.nn.functional.cosine_similarity(mine, others, dim=0))


@dataclass(frozen=True)
class Costs:
    """The sizes that decide how much a model multiplies and stores.

        Each of the `weights` is multiplied once for every row. `pairs` is the number of multiplications that a pair of
        tokens costs in all layers, half for the score and half for the value. `per_token` is how many numbers a cache
        stores for a token, of `n_bytes` each. Work on single numbers, such as softmax and layer norms, isn't counted.

    Sources: Kaplan et al. 2020, Scaling Laws for Neural Language Models, section 2.1 (weights); Pope et al. 2022,
    Efficiently Scaling Transformer Inference, section 2.1 (the cache).

    >>> GPT_3.multiplied(1, 1000) // 10**9, GPT_3.multiplied(1000, 1000) // 10**9, GPT_3.cached(1000)
    (176, 176923, 4718592000)
    """

    weights: int
    pairs: int
    per_token: int
    n_bytes: int

    def multiplied(self, rows: int, tokens: int) -> int:
        """Return how many multiplications these rows take, reading these tokens."""
        return rows * (self.weights + tokens * self.pairs)

    def cached(self, tokens: int) -> int:
        """Return how many bytes the keys and values of these tokens take."""
        return tokens * self.per_token * self.n_bytes


# Brown et al. 2020, Language Models are Few-Shot Learners, table 2.1. Feed-forward steps are four times as wide as
# vectors, all heads together are as wide as vectors, and numbers have 16 bits.
_LAYERS, _WIDTH, _ENTRIES = 96, 12_288, 50_257
GPT_3 = Costs(12 * _LAYERS * _WIDTH**2 + _ENTRIES * _WIDTH, 2 * _LAYERS * _WIDTH, 2 * _LAYERS * _WIDTH, 2)


def costs_of(view: ModelTrace) -> Costs | None:
    """Return a writing model's costs, None for a mixture of experts."""
    if view.model is None or any(each.dim() > 2 for each in view.model.parameters()):
        return None
    matrices = (module.weight for module in view.model.modules()
                if not isinstance(module, nn.Embedding) and getattr(module, "weight", None) is not None)  # fmt: skip
    attended = [layer.attended for layer in view.attending]
    wide = [each.key.shape[-1] + each.value.shape[-1] for each in attended]
    return Costs(
        sum(each.numel() for each in matrices if each.dim() == 2),
        sum(len(each.query) * d for each, d in zip(attended, wide, strict=True)),
        sum(len(each.key) * d for each, d in zip(attended, wide, strict=True)),
        attended[0].key.element_size(),
    )


def costs_in_words(view: ModelTrace) -> list[str]:
    """Say what a text's last token costs, with the cache and without."""
    both = ((view.name, costs_of(view)), (say("write.large"), GPT_3))
    n = len(view.tokens)
    return [
        say("write.costs", model=name, tokens=n, cached=_size(costs.cached(n)), one=_size(costs.multiplied(1, n)),
            all=_size(costs.multiplied(n, n)))
        for name, costs in both if costs is not None
    ]  # fmt: skip


def _size(number: int) -> str:
    """Return a large number as people say it.

    >>> _size(44520), _size(4718592000), _size(176905 * 10**9)
    ('44,520', '4.72 billion', '177 trillion')
    """
    for name, unit in (("trillion", 10**12), ("billion", 10**9), ("million", 10**6)):
        if number >= unit:
            return say(f"write.size.{name}", number=f"{number / unit:.3g}")
    return thousands(number)
