"""What is filled into the blanks of an exercise, as one text of a link: by the places of the cells, packed."""

import json
import re
from collections.abc import Mapping

from attnviz.exercises.exercise import MOST_D, MOST_TOKENS, RESULTS
from attnviz.link.codecs import Codec, unreadable_part
from attnviz.link.packing import pack, unpack

MOST_CHARACTERS = 20  # of an answer
MOST_OF_ANSWERS = 4_000  # characters, packed
_MOST_UNPACKED = 20_000
_LAST = max(MOST_TOKENS, MOST_D) - 1
_PLACE = re.compile(rf"(?:{'|'.join(RESULTS)})\.[0-{_LAST}]\.[0-{_LAST}]")


class AnswersText(Codec):
    """The codec of the answers: what stands in each cell, by ``q.0.1``; blank ones are left out."""

    def decode(self, raw: str) -> Mapping[str, str]:
        if not raw:
            return {}
        try:
            typed = json.loads(unpack(raw, _MOST_UNPACKED))
        except (ValueError, RecursionError) as error:
            raise unreadable_part(error, "answers", {}) from error
        if not isinstance(typed, dict) or not all(_is_answer(place, text) for place, text in typed.items()):
            raise unreadable_part(ValueError(), "answers", {})
        return typed

    def encode(self, value: Mapping[str, str]) -> str:
        return pack(json.dumps(dict(value), ensure_ascii=False, separators=(",", ":"))) if value else ""


def _is_answer(place: str, text: object) -> bool:
    return isinstance(text, str) and 0 < len(text) <= MOST_CHARACTERS and bool(_PLACE.fullmatch(place))
