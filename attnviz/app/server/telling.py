"""The figures, told to whoever asks; and what is running."""

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import Response

from attnviz.app.keeper import build, figures


def answer(request: Request) -> Response:
    """Tell all figures."""
    return Response(figures.told(), media_type=CONTENT_TYPE_LATEST)


def running() -> dict[str, str]:
    """Return the versions of what is running."""
    return {"version": build.version(), "torch": build.torch_version()}
