"""The scripts of components that browsers fetch as files, and keep.

A name says what its file holds. Whoever asks for another one is a page of another version, from another copy behind the
same proxy: it's told that it isn't here, and nobody keeps that.
"""

from starlette.requests import Request
from starlette.responses import Response

from attnviz.app.components.script_file import FILES, FOLDER

PATHS = (f"/{FOLDER}/{{name}}", f"/{{base:path}}/{FOLDER}/{{name}}")  # the second where server.baseUrlPath is set
_FOR_GOOD = "public, max-age=31536000, immutable"


def answer(request: Request) -> Response:
    """Send the file of this name, packed for whoever takes that."""
    file = FILES.get(request.path_params["name"])
    if file is None:
        return Response(status_code=404, headers={"Cache-Control": "no-store"})
    headers = {"Cache-Control": _FOR_GOOD, "Vary": "Accept-Encoding"}
    packs = "gzip" in request.headers.get("accept-encoding", "")
    if packs:
        headers["Content-Encoding"] = "gzip"
    return Response(file.packed if packs else file.text, headers=headers, media_type="text/javascript")
