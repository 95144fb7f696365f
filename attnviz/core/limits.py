"""The limits of a computation, each stated once; the core enforces them with ``ValueError``."""

import operator

from attnviz.core.errors import RefusedError
from attnviz.core.errors import in_short as in_short

MAX_TOKENS = 1024
MAX_D = 1024
MAX_HEADS = 16
MAX_LAYERS = 4
MAX_SCORES = 2**21  # of all heads and layers together: three matrices of as many float32 numbers are 24 MiB
MAX_SEED = 2**32 - 1  # torch's CPU generator reads 32 bits of its seed: larger ones would repeat
MIN_TEMPERATURE = 0.01
MAX_TEMPERATURE = 100.0
MAX_EDITS = 4096

MAX_TEXT_CHARACTERS = 20_000
MAX_SECOND_CHARACTERS = 2_000  # of a second sentence: a link, a click and a reload carry both
MAX_FILE_BYTES = 5 * 2**20  # that are opened: as server.maxUploadSize in .streamlit/config.toml
MAX_UPLOADS = 4  # files that a session holds: no page asks for more than two at once
MAX_UPLOADED_BYTES = 128 * 2**20  # that all sessions hold together


def check_whole(name: str, value: object, low: int, high: int) -> int:
    """Return `value`, of any integer type, as an int from `low` to `high`.

    Raises ``ValueError`` naming the value and the limits.

    >>> check_whole("d_in", 3, 1, MAX_D)
    3
    """
    try:
        whole = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        whole = low - 1
    if isinstance(value, bool) or not low <= whole <= high:
        raise RefusedError("whole", name=name, value=value, low=low, high=high)
    return whole


def check_temperature(value: object) -> float:
    """Return the temperature as a float, or raise ``ValueError`` naming it and its limits.

    >>> check_temperature(2)
    2.0
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not MIN_TEMPERATURE <= value <= MAX_TEMPERATURE:
        raise RefusedError("number", name="temperature", value=value, low=MIN_TEMPERATURE, high=MAX_TEMPERATURE)
    return float(value)
