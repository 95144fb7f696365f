"""The tables of the classes, their migrations, and how to connect."""

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sql

_AWAY_SECONDS = 3  # a database that doesn't answer within them counts as away
_BUSY_SECONDS = 5  # how long a writer waits for another writer, and a request for a connection
_CONNECTIONS = 4  # per process

_TABLES = sql.MetaData()


def _key() -> tuple[sql.Column[str], sql.Column[str], sql.Column[int]]:
    names = sql.Column("code", sql.String(8), primary_key=True), sql.Column("about", sql.String(40), primary_key=True)
    return *names, sql.Column("round", sql.Integer, primary_key=True)


VERSIONS = sql.Table("versions", _TABLES, sql.Column("version", sql.Integer, primary_key=True))
CLASSES = sql.Table(
    "classes", _TABLES,
    sql.Column("code", sql.String(8), primary_key=True),
    sql.Column("secret", sql.String(64), nullable=False),  # the secret's hash
    sql.Column("ends", sql.BigInteger, nullable=False),  # seconds since 1970
    sql.Column("ended", sql.Boolean, nullable=False),
    sql.Column("about", sql.String(40), nullable=False),
    sql.Column("round", sql.Integer, nullable=False),
    sql.Column("phase", sql.Integer, nullable=False),
    sql.Column("askings", sql.Integer, nullable=False),
    sql.Column("seen", sql.BigInteger, nullable=False),  # when its teacher's page last asked, to a minute
)  # fmt: skip
VOTES = sql.Table(
    "votes", _TABLES, *_key(),
    sql.Column("who", sql.String(32), primary_key=True), sql.Column("choice", sql.String(20), nullable=False),
    sql.Column("nth", sql.BigInteger, nullable=False),  # grows with each correction by the person
)  # fmt: skip
COUNTS = sql.Table(
    "counts", _TABLES, *_key(),
    sql.Column("choice", sql.String(20), primary_key=True), sql.Column("n", sql.Integer, nullable=False),
)  # fmt: skip


def _first(db: sql.Connection) -> None:
    key = "code VARCHAR(8) NOT NULL, about VARCHAR(40) NOT NULL, round INTEGER NOT NULL"
    choice = "choice VARCHAR(20) NOT NULL"
    for table in (
        "classes (code VARCHAR(8) NOT NULL PRIMARY KEY, secret VARCHAR(64) NOT NULL, ends BIGINT NOT NULL, "
        "ended BOOLEAN NOT NULL, about VARCHAR(40) NOT NULL, round INTEGER NOT NULL, phase INTEGER NOT NULL, "
        "askings INTEGER NOT NULL)",
        f"votes ({key}, who VARCHAR(32) NOT NULL, {choice}, PRIMARY KEY (code, about, round, who))",
        f"counts ({key}, {choice}, n INTEGER NOT NULL, PRIMARY KEY (code, about, round, choice))",
    ):
        db.execute(sql.text(f"CREATE TABLE {table}"))


def _corrections(db: sql.Connection) -> None:
    db.execute(sql.text("ALTER TABLE votes ADD COLUMN nth BIGINT NOT NULL DEFAULT 0"))
    db.execute(sql.text("ALTER TABLE classes ADD COLUMN seen BIGINT NOT NULL DEFAULT 0"))


# Migrations, each from one version to the next. A released one is never changed; add a new one at the end. They are
# written in SQL, because the tables above are as the last migration leaves them.
STEPS: tuple[Callable[[sql.Connection], None], ...] = (_first, _corrections)
_TURN = 726_867_849  # key of the lock with which copies that start at the same time take turns


def migrate(db: sql.Connection) -> None:
    """Bring a database to the newest version, in the open transaction."""
    if db.dialect.name == "postgresql":
        db.execute(sql.select(sql.func.pg_advisory_xact_lock(_TURN)))
    VERSIONS.create(db, checkfirst=True)
    at = db.scalar(sql.select(sql.func.max(VERSIONS.c.version))) or 0
    if at > len(STEPS):
        raise ValueError(f"the database has version {at}, expected {len(STEPS)} at most: it's of a later attnviz")
    for version, step in enumerate(STEPS[at:], at + 1):
        step(db)
        db.execute(sql.insert(VERSIONS).values(version=version))


def check_address(address: str, name: str = "the database") -> sql.URL:
    """Return a database's URL; ``ValueError``, with its `name`, if unreadable or unsupported."""
    expected = "sqlite:///a/file, postgresql://user:password@host/name, or off"
    try:
        url = sql.make_url(address)
    except sql.exc.ArgumentError:  # its text may have the address's password
        raise ValueError(f"{name} can't be read as an address, expected {expected}") from None
    if url.drivername in ("postgresql", "postgresql+psycopg"):
        return url.set(drivername="postgresql+psycopg")
    if url.drivername != "sqlite" or not url.database:
        raise ValueError(f"{name} is of the kind {url.drivername!r}, expected {expected}")
    return url


def opened(address: str) -> sql.Engine:
    """Return an unconnected engine; ``OSError`` if its folder can't be made."""
    url, pool = check_address(address), {"pool_size": _CONNECTIONS, "max_overflow": 0, "pool_timeout": _BUSY_SECONDS}
    if url.drivername != "sqlite":
        return sql.create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": _AWAY_SECONDS}, **pool)
    Path(str(url.database)).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    engine = sql.create_engine(url, connect_args={"timeout": _BUSY_SECONDS, "isolation_level": None}, **pool)
    sql.event.listen(engine, "connect", _set_up)
    sql.event.listen(engine, "begin", _begin)
    return engine


def _set_up(connection: sqlite3.Connection, _: Any) -> None:
    with suppress(sqlite3.OperationalError):  # another copy is setting it right now: no need to wait
        connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")  # commits survive a power failure


def _begin(db: sql.Connection) -> None:
    """Begin a transaction; one that writes locks before its first read."""
    db.exec_driver_sql("BEGIN IMMEDIATE" if db.get_execution_options().get("writes") else "BEGIN")
