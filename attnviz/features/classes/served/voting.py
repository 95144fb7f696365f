"""Incoming votes: read, written in batches, and answered once committed."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from attnviz.features.classes.store import AwayError, FullError, Vote, who_of
from attnviz.predicting.asks import asked_of

_MOST_WAITING, _TOGETHER = 2000, 200  # votes that may wait, and that share one commit
_TOKEN = range(16, 65)  # characters
_LAST = 2**53 - 1  # largest whole number that JavaScript holds exactly
Write = Callable[..., Awaitable[Sequence[str | Exception]]]  # called with pairs (code of a class, vote)


def vote_of(code: str, message: Mapping[str, Any]) -> Vote | None:
    """Return the vote in a message; None for an invalid one."""
    about, turn, token, choice = (message.get(name) for name in ("about", "round", "token", "choice"))
    asked = asked_of(about) if isinstance(about, str) else None
    if asked is None or choice not in list(asked.choices) or type(turn) is not int or not 1 <= turn <= 1000:
        return None
    if not isinstance(token, str) or len(token) not in _TOKEN:
        return None
    nth = message.get("nth", 0)
    if type(nth) is not int or not 0 <= nth <= _LAST:
        return None
    return Vote(asked.about, turn, who_of(code, token), str(choice), nth)


class Voting:
    """A writer of votes: those arriving during a commit share the next."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._waiting: list[tuple[tuple[str, Vote], asyncio.Future[str | Exception]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def counted(self, code: str, vote: Vote) -> str | Exception:
        """Return the choice that counts once committed, or the error."""
        if len(self._waiting) >= _MOST_WAITING:
            return FullError(f"{_MOST_WAITING} votes wait, expected fewer")
        done = asyncio.get_running_loop().create_future()
        self._waiting.append(((code, vote), done))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all())
        result: str | Exception = await done
        return result

    async def _write_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:_TOGETHER], self._waiting[_TOGETHER:]
            results: Sequence[str | Exception]
            try:
                results = await self._write(*(each for each, _ in batch))
            except AwayError as away:
                results = [AwayError(away.why)] * len(batch)
            except Exception as error:  # those who wait must get an answer
                results = [AwayError(type(error).__name__)] * len(batch)
            for (_, done), result in zip(batch, results, strict=True):
                if not done.done():
                    done.set_result(result)
