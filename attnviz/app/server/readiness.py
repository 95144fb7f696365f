"""Whether a server is ready for readers: once torch has computed, what the pages need is imported, and the model is
loaded that the page of models opens with.

A healthy server that isn't ready answers all the same, later: a proxy asks /ready before it sends anybody.
"""

import gc
import threading
from collections.abc import Awaitable, Callable
from importlib import import_module
from pkgutil import walk_packages

from starlette.requests import Request
from starlette.responses import JSONResponse

from attnviz import Scenario, app, figures, trace
from attnviz.app.keeper.logs import get_log
from attnviz.app.model.looked import load_first

_LOG = get_log(__name__)
_READY = threading.Event()


def begin() -> None:
    """Get ready, beside what the server does meanwhile."""
    threading.Thread(target=_get_ready, name="getting-ready", daemon=True).start()


def _get_ready() -> None:
    try:
        for module in walk_packages(app.__path__, f"{app.__name__}."):
            import_module(module.name)
        made = trace(Scenario())
        figures.heatmap(made, "attention_weights").to_plotly_json()
    except Exception:
        _LOG.exception("the server does not get ready")
        return
    try:
        load_first()
    except Exception:  # the page that asks for it says why, and no other needs it
        _LOG.exception("the first model can't be had")
    gc.collect()
    gc.freeze()  # what stands now stays: looked through again and again, it would hold up everybody
    _READY.set()
    _LOG.info("the server is ready")


async def answer(request: Request, classes: Callable[[], Awaitable[str]] | None = None) -> JSONResponse:
    """Say whether the server is ready, and how it stands with classes: without their database all else works."""
    ready = _READY.is_set()
    told = {"ready": ready} | ({"classes": await classes()} if ready and classes else {})
    return JSONResponse(told, 200 if ready else 503, {"Cache-Control": "no-store"})
