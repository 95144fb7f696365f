"""What was predicted before each answer, as a text of a link: what it's about, a point, and the choice."""

import re
from collections.abc import Mapping

from attnviz.link.codecs import Raw, UnreadableError
from attnviz.words import say

# In place of a choice: the answer was asked for without any; more was tried since.
SKIPPED, TRIED = "none", "tried"
MOST_PREDICTED = 12  # the last ones; what was predicted earlier is asked anew
_ONE = re.compile(r"([a-z0-9_-]{1,40})\.([a-z0-9_-]{1,40})")


class PredictedText:
    """What was predicted, by what it's about, in order of time.

    >>> PredictedText().decode("values.more*heads.none")
    {'values': 'more', 'heads': 'none'}
    """

    def decode(self, raw: str) -> dict[str, str]:
        parts = [(part, _ONE.fullmatch(part)) for part in filter(None, raw.split("*"))]
        read = {found[1]: found[2] for _, found in parts if found}
        if strange := [Raw(part) for part, found in parts if not found]:
            raise UnreadableError("links.unknown", read, names=strange)
        return dict(list(read.items())[-MOST_PREDICTED:])

    def encode(self, value: Mapping[str, str]) -> str:
        return "*".join(f"{about}.{choice}" for about, choice in value.items())

    def expected(self) -> str:
        return say("links.expected.predicted")


def with_prediction(predicted: Mapping[str, str], about: str, choice: str) -> dict[str, str]:
    """Return what was predicted, this one last; blank takes it back.

    >>> with_prediction({"values": "more", "heads": "none"}, "values", "same")
    {'heads': 'none', 'values': 'same'}
    """
    others = {name: other for name, other in predicted.items() if name != about}
    return dict(list((others | ({about: choice} if choice else {})).items())[-MOST_PREDICTED:])
