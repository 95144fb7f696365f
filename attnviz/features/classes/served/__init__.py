"""Classes on the server: light pages for people and teacher, without sessions.

The people's page asks for the state of the class every few seconds, the teacher's page three times a second. However
many ask, each copy of the server asks the database for a class at most ten times a second. Votes that arrive together
are written together, and answered once they're committed: whoever gets no answer sends the same vote again, and it
counts once. Of a person's predictions in an open round, the last one counts.
"""

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Sequence
from threading import Thread
from typing import Any, NamedTuple, TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from attnviz.app.operations.logs import get_log
from attnviz.app.server.endpoints import NO_STORE, Served, Workers, message_in, nothing
from attnviz.app.server.rate_limits import Pace, address_of
from attnviz.core.cache import Cache
from attnviz.features.classes.questions import as_csv, as_xapi
from attnviz.features.classes.served import pages
from attnviz.features.classes.served.class_state import home_of, qr_code, state_for_page
from attnviz.features.classes.served.voting import Voting, vote_of
from attnviz.features.classes.settings import database
from attnviz.features.classes.store import LETTERS, LETTERS_OF_CODE, AwayError, FullError, Phase, State, Store, Vote
from attnviz.predicting.asks import asked_of
from attnviz.words import LANGUAGE

_LOG = get_log(__name__)
AT = "class"
FRESH = 0.1  # seconds for which a class's state is reused, before it's read from the database again
_MOST_KNOWN, _MOST_ADDRESSES = 1000, 10_000
_MOST_BYTES = 512  # limit for a message to the server
_OF_ALL, _OF_UNKNOWN, _OF_OPENED = (500.0, 1000.0), (1.0, 60.0), (1 / 60, 20.0)  # per address, which a class may share
_AGAIN = 5.0  # seconds between two checks of whether the database answers
_NOTED = 60.0  # seconds between two notes in the database that a teacher's page is open
_SWEEPS = 60.0  # seconds between two searches for classes whose day is over
Answer = TypeVar("Answer")


class _Read(NamedTuple):
    """A class's state, and the JSON for its people and teacher."""

    state: State
    people: bytes
    teacher: bytes


class _Known(NamedTuple):
    at: float
    read: "asyncio.Future[_Read | None]"


class Classroom:
    """The handler of all requests about classes, refused without a database."""

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self._workers = Workers(4, thread_name_prefix="attnviz-classes")
        self._known = Cache(most=_MOST_KNOWN)
        self._paces = Cache(most=_MOST_ADDRESSES)
        self._noted = Cache(most=_MOST_KNOWN)  # when a class's teacher was last noted in the database
        self._voting = Voting(self._write)
        self._standing = -_AGAIN, "off" if store is None else "ok"

    def routes(self) -> list[Route]:
        """Return the addresses of classes; a second time where server.baseUrlPath is set."""
        found: list[tuple[str, Callable[..., Any], str]] = [
            (f"/{AT}", self._door, "GET"), (f"/{AT}", self._open, "POST"), (f"/{AT}/board", self._board, "GET"),
            (f"/{AT}/{{code}}", pages.of_people, "GET"), (f"/{AT}/{{code}}/now", self._now, "GET"),
            (f"/{AT}/{{code}}/vote", self._vote, "POST"), (f"/{AT}/{{code}}/qr", qr_code, "GET"),
            (f"/{AT}/{{code}}/teacher", pages.of_teacher, "GET"),
            (f"/{AT}/{{code}}/teacher", self._teacher, "POST"),
        ]  # fmt: skip
        return [
            Route(base + path, answer, methods=[method])
            for base in ("", "/{base:path}")
            for path, answer, method in found
        ]

    async def standing(self) -> str:
        """Return "ok", "away" if the database doesn't answer, or "off"."""
        at, standing = self._standing
        if self._store is not None and time.monotonic() - at > _AGAIN:
            self._standing = time.monotonic(), standing  # so that only one of several requests checks
            try:
                await self._done(self._store.state, "")
                self._standing = time.monotonic(), "ok"
            except AwayError as away:
                self._away(away.why)
        return self._standing[1]

    def _away(self, why: str) -> Response:
        if self._standing[1] == "ok":  # logged once, not for each of three hundred requests
            _LOG.warning("the database of classes doesn't answer", extra={"told": {"why": why[:200]}})
        self._standing = time.monotonic(), "away"
        return nothing(503)

    async def _done(self, do: Callable[..., Answer], *given: Any) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._workers, do, *given)

    def _admits(self, request: Request, kind: str, pace: tuple[float, float]) -> bool:
        key = kind, address_of(request.scope)
        known: Pace = self._paces.get(key, lambda: Pace(*pace))
        return known.admits()

    async def _door(self, request: Request) -> Response:
        return pages.of_door(request) if await self.standing() == "ok" else pages.of_none(request)

    async def _open(self, request: Request) -> Response:
        message = await message_in(request, "about", most=_MOST_BYTES)
        if isinstance(message, Response):
            return message
        if self._store is None:
            return nothing(503)
        if not self._admits(request, "opened", _OF_OPENED):
            return nothing(429)
        try:
            if await self._done(asked_of, message["about"]) is None:
                return nothing(400)
            code, secret = await self._done(self._store.open, message["about"])
        except FullError:
            return nothing(429)
        except AwayError as away:
            return self._away(away.why)
        return JSONResponse({"code": code, "secret": secret}, headers=NO_STORE)

    async def _board(self, request: Request) -> Response:
        return await self._done(pages.of_board, request)

    def _read(self, code: str) -> _Read | None:
        state = None if self._store is None else self._store.state(code)
        if state is None:
            return None
        return _Read(state, *(json.dumps(state_for_page(state, of_teacher)).encode() for of_teacher in (False, True)))

    def _reading(self, code: str) -> "asyncio.Future[_Read | None]":
        """Read a class's state now, for all who ask meanwhile."""
        read = asyncio.ensure_future(self._done(self._read, code))
        self._known.put((code, LANGUAGE.get()), _Known(time.monotonic(), read))
        return read

    async def _state(self, request: Request) -> _Read | Response:
        """Return the recent state of the requested class, or an error response."""
        code = request.path_params["code"].upper()
        if self._store is None or not self._admits(request, "", _OF_ALL):
            return nothing(503 if self._store is None else 429)
        if len(code) != LETTERS_OF_CODE or set(code) - set(LETTERS):
            return nothing(404)
        known: _Known | None = self._known.find((code, LANGUAGE.get()))
        if known is None or time.monotonic() - known.at > FRESH:
            if known is None and not self._admits(request, "unknown", _OF_UNKNOWN):
                return nothing(429)
            read = self._reading(code)
        else:
            read = known.read
        try:
            found = await asyncio.shield(read)
        except AwayError as away:
            return self._away(away.why)
        return found or nothing(404)

    async def _now(self, request: Request) -> Response:
        read = await self._state(request)
        return read if isinstance(read, Response) else _sent(read.people)

    async def _vote(self, request: Request) -> Response:
        message = await message_in(request, "token", most=_MOST_BYTES)
        if isinstance(message, Response):
            return message
        read = await self._state(request)
        if isinstance(read, Response):
            return read
        code = request.path_params["code"].upper()
        vote = await self._done(vote_of, code, message)
        if vote is None:
            return nothing(400)
        counted = await self._voting.counted(code, vote)
        if isinstance(counted, AwayError):
            return self._away(counted.why)
        if isinstance(counted, Exception):
            return nothing(410)  # the round is over, or full
        return JSONResponse({"choice": counted}, headers=NO_STORE)

    async def _write(self, *votes: tuple[str, Vote]) -> Sequence[str | Exception]:
        return await self._done(self._store.vote, *votes) if self._store else ()

    async def _teacher(self, request: Request) -> Response:
        message = await message_in(request, "secret", most=_MOST_BYTES)
        if isinstance(message, Response):
            return message
        read = await self._state(request)
        if isinstance(read, Response):
            return read
        if not isinstance(message.get("secret"), str) or not read.state.is_of(message["secret"]):
            return nothing(403)
        try:
            return await self._led(request, message, read)
        except AwayError as away:
            return self._away(away.why)
        except FullError:
            return nothing(429)

    async def _note(self, code: str, store: Store) -> None:
        """Note once a minute that the page of its teacher is open."""
        noted: float | None = self._noted.find(code)
        if noted is None or time.monotonic() - noted > _NOTED:
            self._noted.put(code, time.monotonic())
            await self._done(store.see, code)

    async def _led(self, request: Request, message: dict[str, Any], read: _Read) -> Response:
        """Do what the teacher requests; after a change, answer the new state."""
        code, wants = request.path_params["code"].upper(), message.get("wants", "now")
        if self._store is None or wants not in ("now", "csv", "xapi", "end", "move"):
            return nothing(400)
        if wants == "now":
            await self._note(code, self._store)
            return _sent(read.teacher)
        if wants in ("csv", "xapi"):
            votes = await self._done(self._store.votes, code)
            made = as_csv(votes) if wants == "csv" else as_xapi(votes, home_of(request))
            return Response(made, headers=NO_STORE, media_type="text/csv" if wants == "csv" else "application/jsonl")
        if wants == "end":
            await self._done(self._store.end, code)
        else:
            match message.get("from"), message.get("to"), message.get("about", ""):
                case [str(about), int(turn), int(phase)], (0 | 1 | 2) as to, str(asks) if not asks or asked_of(asks):
                    await self._done(self._store.move, code, (about, turn, phase), Phase(to), asks)
                case _:
                    return nothing(400)
        after = await asyncio.shield(self._reading(code))
        return _sent(after.teacher) if after else nothing(404)


def _sent(told: bytes) -> Response:
    return Response(told, headers=NO_STORE, media_type="application/json")


def stored(address: str) -> Store | None:
    """Return a database's classes; None without one, or without write access."""
    try:
        return Store(address) if address else None
    except OSError:
        _LOG.warning("classes aren't available: the file of their database can't be made")
        return None


def serves() -> Served:
    """Return the addresses of classes, and a function for their state."""
    classroom = Classroom(stored(database()))
    return Served(classroom.routes(), classroom.standing)


def begins() -> None:
    """End classes whose day is over, in a background thread."""
    store = stored(database())

    def keep() -> None:
        while store is not None:
            with contextlib.suppress(AwayError):  # requests log it
                store.sweep()
            time.sleep(_SWEEPS)

    Thread(target=keep, name="classes", daemon=True).start()
