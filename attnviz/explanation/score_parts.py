"""The four parts of a score where positions are added: word·word, word·place, place·word and place·place."""

from torch import Tensor

from attnviz.core.attention import AttentionTrace


def score_parts(trace: AttentionTrace) -> tuple[Tensor, ...]:
    """Return what words and places have in the scores ``(n_tokens, n_tokens)``, in float64, of a layer of one head
    whose X is a sum E + P: (E + P) W_q ((E + P) W_k)ᵀ multiplied out. Biases are parts of none of them.

    Source: Ke et al. 2021, Rethinking Positional Encoding in Language Pre-training, equation 5.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> made = trace(Scenario("a b c", positions="sinusoidal"))
    >>> bool((sum(score_parts(made)) - made.scores).abs().max() < 1e-5)
    True
    """
    words, places = (trace[name].double() for name in trace.stages["x"].sources)
    w_q, w_k = trace.w_q.double(), trace.w_k.double()
    return tuple((a @ w_q) @ (b @ w_k).mT for a in (words, places) for b in (words, places))
