"""Server endpoints beside pages: scripts, painting reports, metrics and readiness.

A script's name identifies its contents. A page that asks for a name unknown here has another version, and was served by
another copy behind the same proxy: it gets a 404 that nobody caches. Messages are parsed without trusting the sender.

A server is ready once torch has computed, the modules that pages need are imported, and the features' early loading is
done. Before that it answers, too, only more slowly; a proxy asks /ready before it sends anyone here.
"""

import gc
import json
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from importlib import import_module
from pkgutil import walk_packages
from typing import Any, NamedTuple, ParamSpec, TypeVar

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from attnviz import Scenario, app, trace
from attnviz.app.components.script_file import FOLDER, script_files
from attnviz.app.operations import metrics
from attnviz.app.operations.logs import get_log
from attnviz.app.server.compression import KEPT, MEDIA, PACKED, takes_packed
from attnviz.app.session.first_paint import AT, PAINTINGS
from attnviz.feature import features, filled
from attnviz.figures import heatmap

MOST_BYTES = 32_768  # limit for a message; even a pasted board of 16 tokens has fewer bytes
NO_STORE = {"Cache-Control": "no-store"}
_NOTHING = 204
P = ParamSpec("P")
Done = TypeVar("Done")


class Workers(ThreadPoolExecutor):
    """Threads that speak the language of whoever submits the work."""

    def submit(self, do: Callable[P, Done], /, *given: P.args, **more: P.kwargs) -> Future[Done]:
        """Submit work that runs with the current context variables."""
        return super().submit(partial(copy_context().run, do, *given, **more))


def nothing(status: int = _NOTHING) -> Response:
    """Return an empty response."""
    return Response(status_code=status, headers=NO_STORE)


async def message_in(request: Request, *says: str, most: int = MOST_BYTES) -> dict[str, Any] | Response:
    """Return a page's JSON message, or the error response to send.

    At least one of the fields named by `says`, by default "word", must be text; `most` is in bytes.
    """
    # Browsers send the header Origin, but rate_limits.py removes that of a foreign page.
    if "origin" not in request.headers:
        return nothing(403)
    body = await _body(request, most)
    if body is None:
        return nothing(413)
    message = _read(body, says or ("word",))
    return nothing(400) if message is None else message


async def _body(request: Request, most: int) -> bytes | None:
    """Return the request's body; None if it is longer than `most`."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > most:
            return None
    return body


def _read(body: bytes, says: Sequence[str]) -> dict[str, Any] | None:
    """Return a message with text in one of these fields, or None."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or not any(isinstance(message.get(name), str) for name in says):
        return None
    return message


# The second path of each is used if server.baseUrlPath is set.
SCRIPTS, PAINTED = ((f"/{path}", f"/{{base:path}}/{path}") for path in (f"{FOLDER}/{{name}}", AT))


def send_script(request: Request) -> Response:
    """Send the script of this name, gzipped if the browser accepts that."""
    file = script_files().get(request.path_params["name"])
    if file is None:
        return Response(status_code=404, headers={"Cache-Control": "no-store"})
    packs = takes_packed(request.headers)
    return Response(file.packed if packs else file.text, headers=PACKED if packs else KEPT, media_type=MEDIA["js"])


async def take_painted(request: Request) -> Response:
    """Note that a page is painted, see session/first_paint.py; answer with 204."""
    message = await message_in(request)
    if isinstance(message, Response):
        return message
    if page := PAINTINGS.get(message["word"]):
        page.painted.set()
    return nothing()


def tell_figures(request: Request) -> Response:
    """Answer with all metrics of this server."""
    return Response(metrics.metrics_text(), media_type=CONTENT_TYPE_LATEST)


def running() -> dict[str, str]:
    """Return the versions of this app and of torch."""
    return {"version": metrics.version(), "torch": metrics.torch_version()}


_LOG = get_log(__name__)
_READY = threading.Event()


def begin() -> None:
    """Prepare in a thread, while the server already answers."""
    threading.Thread(target=_get_ready, name="getting-ready", daemon=True).start()


def _get_ready() -> None:
    try:
        for package in (app, *(import_module(each.package) for each in features())):
            for module in walk_packages(package.__path__, f"{package.__name__}."):
                import_module(module.name)
        example = trace(Scenario())
        heatmap(example, "attention_weights").to_plotly_json()
    except Exception:
        _LOG.exception("the server does not get ready")
        return
    for name, get_ready in filled("ready").items():
        try:
            get_ready()
        except Exception:  # the page that needs it says why; other pages don't need it
            _LOG.exception("the feature %s does not get ready", name)
    gc.collect()
    # Garbage collections would otherwise walk through all that is loaded now again and again, and hold up everybody.
    gc.freeze()
    _READY.set()
    _LOG.info("the server is ready")


class Served(NamedTuple):
    """The routes that a feature answers, and its state."""

    routes: Sequence[Route]
    standing: Callable[[], Awaitable[str]]


async def tell_ready(request: Request, served: Mapping[str, Served]) -> JSONResponse:
    """Answer whether the server is ready, and the state of its features."""
    ready = _READY.is_set()
    told = {"ready": ready} | ({name: await each.standing() for name, each in served.items()} if ready else {})
    return JSONResponse(told, 200 if ready else 503, {"Cache-Control": "no-store"})
