"""What the server answers beside pages: scripts as files, what browsers have painted, and the figures of a server.

The name of a script says what its file holds. Whoever asks for another one is a page of another version, from another
copy behind the same proxy: it's told that it isn't here, and nobody keeps that.
"""

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import Response

from attnviz.app.components.script_file import FILES, FOLDER
from attnviz.app.keeper import figures
from attnviz.app.server.asked import message_of, nothing
from attnviz.app.session.painting import AT, painting_that_says

# The second of each where server.baseUrlPath is set.
SCRIPTS, PAINTED = ((f"/{path}", f"/{{base:path}}/{path}") for path in (f"{FOLDER}/{{name}}", AT))
_FOR_GOOD = "public, max-age=31536000, immutable"


def send_script(request: Request) -> Response:
    """Send the script of this name, packed for whoever takes that."""
    file = FILES.get(request.path_params["name"])
    if file is None:
        return Response(status_code=404, headers={"Cache-Control": "no-store"})
    headers = {"Cache-Control": _FOR_GOOD, "Vary": "Accept-Encoding"}
    packs = "gzip" in request.headers.get("accept-encoding", "")
    if packs:
        headers["Content-Encoding"] = "gzip"
    return Response(file.packed if packs else file.text, headers=headers, media_type="text/javascript")


async def take_painted(request: Request) -> Response:
    """Take what a page says it has painted, see session/painting.py, and answer nothing, whoever it was."""
    message = await message_of(request)
    if isinstance(message, Response):
        return message
    page, number = painting_that_says(message["word"]), message.get("number")
    if page is not None and isinstance(number, int):
        page.tell(number)
    return nothing()


def tell_figures(request: Request) -> Response:
    """Tell all figures of this server."""
    return Response(figures.told(), media_type=CONTENT_TYPE_LATEST)


def running() -> dict[str, str]:
    """Return the versions of what is running."""
    return {"version": figures.version(), "torch": figures.torch_version()}
