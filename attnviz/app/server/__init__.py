"""Additions to Streamlit's server: headers, limits, readiness and metrics; see app.py."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.middleware import Middleware
from starlette.routing import Route

from attnviz.app.operations.logs import get_log, write_as_json
from attnviz.app.server import endpoints
from attnviz.app.server.compression import SendsPacked
from attnviz.app.server.connections import limit_connections
from attnviz.app.server.numbers import PATHS, Numbers
from attnviz.app.server.page_html import SafeHeaders, SaysWhere
from attnviz.app.server.rate_limits import Visitors, listed
from attnviz.app.server.settings import settings
from attnviz.app.server.speaking import Speaks
from attnviz.app.server.uploads import Uploads
from attnviz.feature import filled

_LOG = get_log(__name__)

__all__ = ["lifespan", "middleware", "routes"]


def middleware() -> list[Middleware]:
    """Return the middleware around Streamlit's server, the outermost first."""
    given = settings()
    return [
        Middleware(SafeHeaders, embed_in=given.embed_in),
        Middleware(Speaks),
        Middleware(
            Visitors,
            origins=given.origins,
            names=listed(),
            most=given.most_sessions,
            most_of_address=given.most_of_address,
            most_mib=given.most_memory,
            forwarders=given.forwarders,
        ),
        Middleware(Uploads),
        Middleware(SaysWhere),
        Middleware(SendsPacked),
    ]


def routes() -> list[Route]:
    """Return the routes that we add to Streamlit's."""
    numbers = Numbers()
    served = {name: serves() for name, serves in filled("serves").items()}
    found = [
        Route("/ready", partial(endpoints.tell_ready, served=served)),
        *(route for each in served.values() for route in each.routes),
        *(Route(path, endpoints.send_script) for path in endpoints.SCRIPTS),
        *(Route(path, numbers.answer, methods=["POST"]) for path in PATHS),
        *(Route(path, endpoints.take_painted, methods=["POST"]) for path in endpoints.PAINTED),
    ]
    return [*found, Route("/metrics", endpoints.tell_figures)] if settings().metrics else found


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[None]:
    """Start the preparation of torch and models with the server."""
    limit_connections()
    write_as_json()
    endpoints.begin()
    for begins in filled("begins").values():
        begins()
    _LOG.info("the server starts", extra={"told": endpoints.running()})
    yield
    _LOG.info("the server stops")
