"""What a head does, measured: where its attention goes, and how evenly."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnviz.core.attention import AttentionTrace
from attnviz.core.heads import head_in_view, n_heads_in
from attnviz.core.rules.stage import OWN_ROWS
from attnviz.core.stages import Stage, head_name
from attnviz.core.trace import Trace
from attnviz.words import say
from attnviz.words.numbers import percent, written


def score_parts(trace: AttentionTrace) -> tuple[Tensor, ...]:
    """Return the four parts of scores that words and positions make.

    The product (E + P) W_q ((E + P) W_k)ᵀ is expanded, without biases; each part is ``(n_tokens, n_tokens)``, float64.

    Source: Ke et al. 2021, Rethinking Positional Encoding in Language Pre-training, equation 5.
    """
    words, places = (trace[name].double() for name in trace.stages["x"].sources)
    w_q, w_k = trace.w_q.double(), trace.w_k.double()
    return tuple((a @ w_q) @ (b @ w_k).mT for a in (words, places) for b in (words, places))


_AT_ONCE = 2**20  # attention weights measured at a time: temporary results take as much memory
SHARES = ("itself", "before", "first", "same")
ALL_SHARES = (*SHARES, "after", "special")


@dataclass(frozen=True)
class HeadFigures:
    """Average shares of a head's attention, and its `entropy` in bits.

    Shares go to the token `itself`, the one `before` or `after` it, the `first`, the `same` word earlier, and `special`
    tokens that a model puts around a text. `most` is the largest possible entropy, None where rows don't sum to 1.

    Each average is over the tokens that can read in this way: the first token has none before it, and when it reads
    itself, that doesn't count as reading the first. A figure is None if no token can.
    """

    itself: float
    before: float | None
    first: float | None
    same: float | None
    entropy: float
    most: float | None
    after: float | None = None
    special: float | None = None

    def largest(self, names: Sequence[str] = SHARES) -> str:
        """Return the name of the largest share among these."""
        return max(names, key=lambda name: -1.0 if getattr(self, name) is None else getattr(self, name))


def head_figures(trace: Trace, name: str = "attention_weights", special: Sequence[bool] = ()) -> HeadFigures | None:
    """Return the figures of one head; None if any weight isn't finite.

    `special` marks the tokens that a model added to the text.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> even = head_figures(trace(Scenario("a cat a dog", w_q="zeros")))
    >>> even.itself, even.before, even.first, even.same, even.entropy, even.largest()
    (0.25, 0.25, 0.25, 0.25, 2.0, 'itself')
    """
    hidden = trace.masked_in(name)
    readable = None if hidden is None else torch.from_numpy(~hidden)[None]
    (found,) = figures_of_heads(trace[name].detach()[None], trace.tokens, readable, special)
    return found if found is None or _sum_to_1(trace.stages[name]) else replace(found, most=None)


def _sum_to_1(weights: Stage) -> bool:
    return weights.rule is None or weights.rule.sums_to_1(len(weights.sources))


def figures_of_heads(
    weights: Tensor, tokens: Sequence[str], readable: Tensor | None, special: Sequence[bool] = ()
) -> list[HeadFigures | None]:
    """Return the figures of several heads; None where weights aren't finite.

    `weights` is ``(n_heads, n_tokens, n_tokens)``; `readable` says which tokens each may read.
    """
    n_tokens = weights.shape[-1]
    if readable is None:
        readable = torch.ones(1, n_tokens, n_tokens, dtype=torch.bool)
    some = max(1, _AT_ONCE // n_tokens**2)
    readable, cuts = readable.expand(weights.shape), (slice(at, at + some) for at in range(0, len(weights), some))
    return [each for cut in cuts for each in _figures_of_some(weights[cut], readable[cut], tokens, special)]


def _figures_of_some(
    weights: Tensor, readable: Tensor, tokens: Sequence[str], special: Sequence[bool]
) -> list[HeadFigures | None]:
    n_heads, n_tokens, _ = weights.shape
    weights = weights.double().cpu()
    finite = weights.isfinite().flatten(1).all(-1).tolist()
    earlier = _earlier_same(tokens, n_tokens)
    repeated = earlier.any(-1)
    shares = torch.where(weights > 0, weights, 1.0)  # 0 log 0 is 0
    readable = readable.cpu()
    following = readable.diagonal(1, -2, -1).any(-1).tolist()
    some = n_tokens > 1
    figures: dict[str, list[float] | None] = {
        "itself": weights.diagonal(0, -2, -1).mean(-1).tolist(),
        "before": weights.diagonal(-1, -2, -1).mean(-1).tolist() if some else None,
        "first": weights[:, 1:, 0].mean(-1).tolist() if some else None,
        "same": (weights * earlier).sum(-1)[:, repeated].mean(-1).tolist() if repeated.any() else None,
        "entropy": (-(shares * shares.log2()).sum(-1).mean(-1) + 0.0).tolist(),
        "most": readable.sum(-1).double().log2().mean(-1).tolist(),
        "after": weights.diagonal(1, -2, -1).mean(-1).tolist() if some else None,
        "special": weights[:, :, list(special)].sum(-1).mean(-1).tolist() if any(special) else None,
    }
    found: list[HeadFigures | None] = []
    for head in range(n_heads):
        own: dict[str, Any] = {name: None if of is None else of[head] for name, of in figures.items()}
        if not following[head]:
            own["after"] = None
        found.append(HeadFigures(**own) if finite[head] else None)
    return found


def _earlier_same(tokens: Sequence[str], n_tokens: int) -> Tensor:
    """Return which tokens before each are the same word, ignoring case."""
    words = [token.casefold() for token in tokens] or list(map(str, range(n_tokens)))
    first = {word: at for at, word in reversed(list(enumerate(words)))}
    same = torch.tensor([first[word] for word in words])
    return (same[:, None] == same[None]).tril(-1)


def figures_in_words(figures: HeadFigures | None, head: int, names: tuple[str, ...] = SHARES) -> dict[str, str]:
    """Return texts: the largest share as `short` and `most`, all as `full`."""
    brief = figures_in_short(figures, head, names)
    if figures is None:
        return brief | {"full": brief["most"]}
    shares = {name: percent(share) for name in names if (share := getattr(figures, name)) is not None}
    told = [say(f"heads.full.{name}", share=share) for name, share in shares.items()]
    full = say("heads.told", head=head, shares="; ".join(told))
    if figures.most is not None:
        entropy = say("heads.entropy", entropy=written(figures.entropy, 2), most=written(figures.most, 2))
        full = f"{full} {entropy}"
    return brief | {"full": full}


def figures_in_short(figures: HeadFigures | None, head: int, names: tuple[str, ...] = SHARES) -> dict[str, str]:
    """Return a head's largest share in words, as `short` and `most`."""
    if figures is None:
        return {"short": say("heads.short.undefined"), "most": say("heads.undefined", head=head)}
    largest = figures.largest(names)
    share = percent(getattr(figures, largest))
    most = say(f"heads.full.{largest}", share=share)
    return {"short": say(f"heads.short.{largest}", share=share), "most": most[0].lower() + most[1:]}


def heads_in_words(trace: Trace) -> list[dict[str, str]]:
    """Return what each head does, in words; empty without several heads.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> [each["short"] for each in heads_in_words(trace(Scenario("a b", w_q="zeros", n_heads=2)).for_head(1))]
    ['itself 50 %', 'itself 50 %']
    """
    view = head_in_view(trace.stages)
    if view is None:
        return []
    names = (
        "attention_weights" if head == view else head_name(head, "attention_weights")
        for head in range(n_heads_in(trace.stages))
    )
    weights = trace.stages["attention_weights"]
    if weights.owners != OWN_ROWS:
        cut = {"short": say("heads.short.mixed")}
        heads = (say("heads.mixed", head=head) for head in range(n_heads_in(trace.stages)))
        return [cut | {"most": told, "full": told} for told in heads]
    if weights.entries:
        return [_of_others_in_words(trace, name, head, weights.first_own_key) for head, name in enumerate(names)]
    return [figures_in_words(head_figures(trace, name), head) for head, name in enumerate(names)]


def _of_others_in_words(trace: Trace, name: str, head: int, n_memory: int | None) -> dict[str, str]:
    """Return how a head reads another sentence or the kept tokens."""
    weights, hidden = trace[name].detach().double().cpu(), trace.masked_in(name)
    if not weights.isfinite().all():
        return figures_in_words(None, head)
    read = "of_others" if n_memory is None else "of_kept"
    full = say(f"heads.{read}", head=head)
    if not _sum_to_1(trace.stages[name]):
        return {"short": say(f"heads.short.{read}"), "most": full, "full": full}
    bits = -torch.special.xlogy(weights, weights).sum(-1).mean().item() / math.log(2) + 0.0
    readable = np.full(weights.shape[0], weights.shape[1]) if hidden is None else (~hidden).sum(-1)
    facts = {"entropy": written(bits, 2), "most": written(float(np.log2(readable).mean()), 2)}
    if n_memory is not None:
        share = percent(weights[:, :n_memory].sum(-1).mean().item())
        full = f"{say('heads.kept', head=head, share=share)} {say('heads.entropy', **facts)}"
        return {"short": say("heads.short.kept", share=share), "most": full, "full": full}
    full = f"{full} {say('heads.entropy', **facts)}"
    return {"short": say("heads.short.entropy", **facts), "most": full, "full": full}
