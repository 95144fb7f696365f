"""What a computation does that attention doesn't, in words."""

from attnviz.core.attention import AttentionTrace
from attnviz.core.stages import Y
from attnviz.core.what_if import CUT, SCORES, TYPED
from attnviz.words import say

_ROWS = 8  # whose tokens are named
# What is said otherwise where keys and values are made of other tokens.
_OF_OTHERS = ("projections.exchanged.more",)


def what_if_notes(trace: AttentionTrace) -> list[str]:
    """Say of each stage that isn't as attention has it what it does, and that attention doesn't.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> what_if_notes(trace(Scenario("a b"))), len(what_if_notes(trace(Scenario("a b", what_if="scores:cosine"))))
    ([], 1)
    """
    notes = [say(key_of(each, "note", reads_others(trace))) for each in trace.switched_on]
    return notes + _whose_rows(trace)


def key_of(switch: str, what: str, reads_others: bool) -> str:
    """Return the key of what is said of a switch, "note" or "more", where the sentence reads itself or others, too.

    >>> key_of("scores.keys-first", "more", False), key_of("projections.exchanged", "more", True)
    ('what_if.scores.keys_first.more', 'what_if.projections.exchanged.more_others')
    """
    key = f"{switch.replace('-', '_')}.{what}"
    return f"what_if.{key}_others" if reads_others and key in _OF_OTHERS else f"what_if.{key}"


def reads_others(trace: AttentionTrace) -> bool:
    """Whether keys and values are those of another sentence, or those, too."""
    return Y in trace.layers[0].stages


def cut_by_view(trace: AttentionTrace) -> bool:
    """Whether rows of heads belong to other tokens than their places say."""
    return any(each.startswith(CUT) for each in trace.switched_on) and trace.layers[0].x.shape[-2] > 1


def _whose_rows(trace: AttentionTrace) -> list[str]:
    """Say to which tokens the rows of queries really belong, where a view cuts them for the head in view."""
    q = trace.stages.get("q")
    if q is None or q.rule is None or not q.rule.cuts_rows or not trace.tokens:
        return []
    rows = q.labels("rows", trace.tokens, len(trace.tokens))
    told = ", ".join(say("summary.named", token=each) for each in rows[:_ROWS])
    more = "rows_and_more" if len(rows) > _ROWS else "rows"
    return [say(f"what_if.cut.{more}", symbol=q.symbol, head=q.head, tokens=told)]


def scores_switched(trace: AttentionTrace) -> bool:
    """Whether scores aren't the products of queries and keys, which arrows could show."""
    return any(each.startswith((SCORES, TYPED)) for each in trace.switched_on)
