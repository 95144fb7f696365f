"""Classes in a database, which servers share.

A method that returns has committed its change. Each change names the state that it changes, so that a request that is
sent again, because its answer was lost, doesn't change anything twice.
"""

import hmac
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from hashlib import blake2b, sha256
from threading import Lock
from typing import Any, NamedTuple

import sqlalchemy as sql
from sqlalchemy.dialects import postgresql, sqlite

from attnviz.features.classes.tables import CLASSES, COUNTS, VOTES, migrate, opened

LASTS = 24 * 3600  # seconds until a class ends by itself
KEPT = 30 * 24 * 3600  # seconds from its end until a class is deleted
MOST_CLASSES = 10_000  # that are open at the same time
UNUSED = 600  # seconds without votes and without its teacher's page, after which a class may make room for another
MOST_ASKINGS, MOST_PEOPLE = 200, 2000  # questions of a class; people in a round
# No vowels, so that no words appear, and no letters that look or sound alike.
LETTERS, LETTERS_OF_CODE = "BCDFGHJKLMNPQRSTVWXZ", 6

Counts = Mapping[tuple[str, int, str], int]  # (question, round, choice) -> votes


class Phase(IntEnum):
    """The phase of a round."""

    OPEN = 0  # voting is open
    COUNTED = 1  # the counts are shown to all
    TOLD = 2  # the outcome is shown, too


class AwayError(RuntimeError):
    """The database doesn't answer; whether a request succeeded is unknown."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class FullError(ValueError):
    """A limit is reached, such as the number of classes."""


class LateError(ValueError):
    """A vote for a round or a class that is over."""


@dataclass(frozen=True)
class State:
    """The state of a class, with the counts of its current question."""

    secret: str  # the secret's hash
    ends: int
    ended: bool
    about: str
    round: int
    phase: Phase
    counts: Counts = field(default_factory=dict)

    @property
    def moment(self) -> tuple[str, int, int]:
        """The question, round and phase, which identify a moment of a class."""
        return self.about, self.round, int(self.phase)

    def is_of(self, secret: str) -> bool:
        """Whether this is the teacher's secret, compared in constant time."""
        return hmac.compare_digest(self.secret, _hashed(secret))


class Vote(NamedTuple):
    """One vote; `who` is blank once its class has ended.

    Of a person's votes in a round, the one with the largest `nth` counts, in whatever order they arrive.
    """

    about: str
    round: int
    who: str
    choice: str
    nth: int = 0


def _hashed(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def who_of(code: str, token: str) -> str:
    """Return a person's token, hashed with the code of the class."""
    return blake2b(token.encode("utf-8", "surrogatepass"), digest_size=16, key=code.encode()).hexdigest()


class Store:
    """The classes in a database, whose tables are made when first needed."""

    def __init__(self, address: str, now: Callable[[], float] = time.time) -> None:
        self._engine = opened(address)
        self._insert: Any = (sqlite if self._engine.dialect.name == "sqlite" else postgresql).insert
        self._now, self._ready, self._lock = now, False, Lock()

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def _begun(self, *, writes: bool) -> Iterator[sql.Connection]:
        try:
            with self._lock:
                if not self._ready:
                    with self._engine.connect().execution_options(writes=True) as db, db.begin():
                        migrate(db)
                    self._ready = True
            with self._engine.connect().execution_options(writes=writes) as db, db.begin():
                yield db
        except sql.exc.SQLAlchemyError as error:
            # The error leaves out the statement and its values.
            raise AwayError(str(getattr(error, "orig", None) or type(error).__name__)) from error

    def open(self, about: str) -> tuple[str, str]:
        """Open a class with this question; return its code and secret."""
        secret, now = secrets.token_urlsafe(24), int(self._now())
        with self._begun(writes=True) as db:
            open_now = self._count(db, CLASSES, CLASSES.c.ended.is_(False))
            if open_now >= MOST_CLASSES and not self._made_room(db, now):
                raise FullError(f"there are {MOST_CLASSES} classes, expected fewer for another one")
            code = "".join(secrets.choice(LETTERS) for _ in range(LETTERS_OF_CODE))
            db.execute(sql.insert(CLASSES).values(
                code=code, secret=_hashed(secret), ends=now + LASTS, ended=False, about=about, round=1,
                phase=Phase.OPEN, askings=1, seen=now,
            ))  # fmt: skip
        return code, secret

    @staticmethod
    def _made_room(db: sql.Connection, now: int) -> bool:
        """Delete the class unused for the longest; return whether there was one."""
        voted = sql.exists().where(VOTES.c.code == CLASSES.c.code)
        unused = CLASSES.c.ended.is_(False), CLASSES.c.seen <= now - UNUSED, ~voted
        oldest = sql.select(CLASSES.c.code).where(*unused).order_by(CLASSES.c.seen).limit(1)
        code = db.scalar(oldest.with_for_update(skip_locked=True))
        if code is not None:
            db.execute(sql.delete(CLASSES).where(CLASSES.c.code == code))
        return code is not None

    def see(self, code: str) -> None:
        """Note that the teacher's page of a class is open."""
        with self._begun(writes=True) as db:
            db.execute(sql.update(CLASSES).where(CLASSES.c.code == code).values(seen=int(self._now())))

    def state(self, code: str) -> State | None:
        """Return the state of a class; None if it doesn't exist."""
        with self._begun(writes=False) as db:
            row = db.execute(sql.select(CLASSES).where(CLASSES.c.code == code)).first()
            return None if row is None else self._state(row, self._counts(db, code, row.about))

    def _state(self, row: Any, counts: Counts) -> State:
        ended = row.ended or row.ends <= self._now()
        return State(row.secret, row.ends, ended, row.about, row.round, Phase(row.phase), counts)

    def vote(self, *votes: tuple[str, Vote]) -> list[str | ValueError]:
        """Store votes in one commit; return for each what counts.

        That is the person's last choice in this round, or the reason why the vote isn't accepted.
        """
        taken: dict[tuple[str, Vote], str | ValueError] = {}
        with self._begun(writes=True) as db:
            # Votes are sorted, so that no two copies of the server wait for each other.
            for code, vote in sorted(set(votes), key=lambda each: (each[0], *each[1][:3], each[1].nth, each[1].choice)):
                try:
                    taken[code, vote] = self._voted(db, code, vote)
                except (LateError, FullError) as refused:
                    taken[code, vote] = refused
        return [taken[each] for each in votes]

    def _voted(self, db: sql.Connection, code: str, vote: Vote) -> str:
        # This lock lets the end of a class wait for votes, and votes for the end.
        row = db.execute(sql.select(CLASSES).where(CLASSES.c.code == code).with_for_update(read=True)).first()
        if row is None or (state := self._state(row, {})).ended:
            raise LateError(f"the class {code!r} has ended, expected one that is open")
        place = (VOTES.c.code == code, VOTES.c.about == vote.about, VOTES.c.round == vote.round)
        mine = sql.select(VOTES.c.choice, VOTES.c.nth).where(*place, VOTES.c.who == vote.who)
        counted = db.execute(mine).first()
        is_open = state.moment == (vote.about, vote.round, Phase.OPEN)
        if counted and (counted.nth >= vote.nth or not is_open):
            return str(counted.choice)
        if not is_open:
            raise LateError(f"round {vote.round} of {vote.about!r} is over, expected {state.moment}")
        if not counted and self._count(db, VOTES, *place) >= MOST_PEOPLE:
            raise FullError(f"{MOST_PEOPLE} people have voted, expected fewer for another one")
        made = self._insert(VOTES).values(code=code, **vote._asdict())
        # Another copy of the server may have written a later vote meanwhile.
        last = {"choice": made.excluded.choice, "nth": made.excluded.nth}
        key = [column.name for column in VOTES.primary_key]
        db.execute(made.on_conflict_do_update(index_elements=key, set_=last, where=VOTES.c.nth < made.excluded.nth))
        return str(db.scalar(mine))

    def move(self, code: str, moment: tuple[str, int, int], phase: Phase, about: str = "") -> None:
        """Move a class from `moment`, if it's there, to another phase.

        If that phase is OPEN, it goes to the next round of the question `about`, by default the same one.
        """
        place = (CLASSES.c.code == code, CLASSES.c.ended.is_(False))
        at = (CLASSES.c.about == moment[0], CLASSES.c.round == moment[1], CLASSES.c.phase == moment[2])
        with self._begun(writes=True) as db:
            row = db.execute(sql.select(CLASSES).where(*place, *at).with_for_update()).first()
            if row is None:
                return
            if phase != Phase.OPEN:
                db.execute(sql.update(CLASSES).where(*place).values(phase=phase))
                return
            if row.askings >= MOST_ASKINGS:
                raise FullError(f"the class was asked {MOST_ASKINGS} times, expected fewer for another one")
            about = about or row.about
            last = max((round_ for _, round_, _ in self._counts(db, code, about)), default=0)
            turn = 1 + max(last, row.round if about == row.about else 0)
            db.execute(
                sql.update(CLASSES)
                .where(*place)
                .values(about=about, round=turn, phase=Phase.OPEN, askings=row.askings + 1)
            )

    def votes(self, code: str) -> list[Vote]:
        """Return all votes of a class; without people once it has ended."""
        with self._begun(writes=False) as db:
            by_who = sql.select(VOTES).where(VOTES.c.code == code).order_by(VOTES.c.about, VOTES.c.round, VOTES.c.who)
            found = [Vote(row.about, row.round, row.who, row.choice) for row in db.execute(by_who)]
            kept = db.execute(sql.select(COUNTS).where(COUNTS.c.code == code)).all()
        return found + [Vote(row.about, row.round, "", row.choice) for row in kept for _ in range(row.n)]

    def end(self, code: str) -> None:
        """End a class, and keep only the counts of its votes."""
        where = CLASSES.c.code == code, CLASSES.c.ended.is_(False)
        with self._begun(writes=True) as db:
            if db.execute(sql.select(CLASSES.c.code).where(*where).with_for_update()).first() is None:
                return
            counts = self._counts(db, code)
            if counts:
                names = "about", "round", "choice"
                db.execute(
                    sql.insert(COUNTS),
                    [dict(zip(names, key, strict=True), code=code, n=n) for key, n in counts.items()],
                )
            db.execute(sql.delete(VOTES).where(VOTES.c.code == code))
            ends = min(int(self._now()), db.scalar(sql.select(CLASSES.c.ends).where(*where)) or 0)
            db.execute(sql.update(CLASSES).where(*where).values(ended=True, ends=ends))

    def sweep(self) -> None:
        """End the classes whose time is over, and delete old ones."""
        now = int(self._now())
        with self._begun(writes=False) as db:
            over = db.scalars(sql.select(CLASSES.c.code).where(CLASSES.c.ended.is_(False), CLASSES.c.ends <= now)).all()
            gone = db.scalars(sql.select(CLASSES.c.code).where(CLASSES.c.ends <= now - KEPT)).all()
        for code in over:
            self.end(code)
        if gone:
            with self._begun(writes=True) as db:
                for table in (VOTES, COUNTS, CLASSES):
                    db.execute(sql.delete(table).where(table.c.code.in_(gone)))

    def _counts(self, db: sql.Connection, code: str, about: str = "") -> dict[tuple[str, int, str], int]:
        """Return the votes for each question, round and choice of a class."""
        found: dict[tuple[str, int, str], int] = {}
        for table, n in ((VOTES, sql.func.count()), (COUNTS, sql.func.sum(COUNTS.c.n))):
            key = table.c.about, table.c.round, table.c.choice
            where = (table.c.code == code, *((table.c.about == about,) if about else ()))
            rows = db.execute(sql.select(*key, n).where(*where).group_by(*key))
            found |= {(row[0], row[1], row[2]): int(row[3]) for row in rows}
        return found

    @staticmethod
    def _count(db: sql.Connection, table: sql.Table, *where: Any) -> int:
        return int(db.scalar(sql.select(sql.func.count()).select_from(table).where(*where)) or 0)
