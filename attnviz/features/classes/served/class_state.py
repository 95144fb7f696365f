"""The state of a class, as its pages receive it."""

from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import segno
from starlette.requests import Request
from starlette.responses import Response

from attnviz.app.server.endpoints import NO_STORE
from attnviz.features.classes.store import Phase, State
from attnviz.predicting.asks import asked_of

_AT = "/class/"


def state_for_page(state: State, of_teacher: bool) -> dict[str, Any]:
    """Return the state for a page; people see counts only after voting."""
    asked = asked_of(state.about)
    now: dict[str, Any] = {"about": state.about, "round": state.round, "phase": state.phase, "ended": state.ended}
    if asked is None:  # a question of a later version
        return now | {"act": "", "asks": "", "choices": []}
    now |= {"act": asked.act, "asks": asked.asks, "choices": list(asked.choices.items())}
    if of_teacher or state.phase != Phase.OPEN:
        rounds: dict[int, dict[str, int]] = {state.round: {}}
        for (_, turn, choice), n in state.counts.items():
            rounds.setdefault(turn, {})[choice] = n
        now["rounds"] = sorted(rounds.items())[-2:]
    if state.phase == Phase.TOLD:
        now |= {"right": asked.right, "told": {each: asked.outcome(each) for each in ("", *asked.choices)}}
    return now


def home_of(request: Request) -> str:
    """Return the address of the class's page for people."""
    url = urlsplit(str(request.url))
    path = url.path[: url.path.rindex(_AT) + len(_AT)]
    return f"{url.scheme}://{url.netloc}{path}{request.path_params['code'].upper()}"


def qr_code(request: Request) -> Response:
    """Answer with a QR code of that address, for phones."""
    drawn = BytesIO()
    segno.make(home_of(request), error="m", micro=False).save(drawn, kind="svg", light="#fff", omitsize=True)
    return Response(drawn.getvalue(), headers=NO_STORE, media_type="image/svg+xml")
