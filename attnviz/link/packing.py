"""Long texts made short for a URL: compressed, with a version, and read back within bounds."""

import base64
import binascii
import zlib

VERSION = 1
_PREFIX = f"z{VERSION}."


class NewerVersionError(ValueError):
    """A text that a newer version of attnviz packed."""


class TooMuchError(ValueError):
    """A packed text of more characters than are ever unpacked."""


def pack(text: str) -> str:
    """Return a text as compressed bytes, written with characters that a URL carries unchanged.

    >>> unpack(pack("the cat " * 100), 1000) == "the cat " * 100
    True
    """
    packed = zlib.compress(text.encode("utf-8", "surrogatepass"), 9)
    return _PREFIX + base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")


def is_packed(text: str) -> bool:
    """Whether a text looks like one that :func:`pack` made, in this version or another."""
    return text[:1] == "z" and text[1:].partition(".")[0].isdecimal()


def unpack(packed: str, most: int) -> str:
    """Return the text that was packed.

    Raises :class:`NewerVersionError` for a newer version, :class:`TooMuchError` for more than `most` bytes of text (no
    more than these are ever unpacked, whatever was packed), and any other ``ValueError`` for what is damaged.
    """
    if not packed.startswith(_PREFIX):
        version = packed[1:].partition(".")[0]
        newer = is_packed(packed) and version.isascii() and len(version) < 4 and int(version) > VERSION
        kind = NewerVersionError if newer else ValueError
        raise kind(f"a part of the link begins with {packed[:8]!r}, expected {_PREFIX!r} of this version")
    try:
        raw = packed.removeprefix(_PREFIX).encode("ascii")
        compressed = base64.b64decode(raw + b"=" * (-len(raw) % 4), altchars=b"-_", validate=True)
        reader = zlib.decompressobj()
        data = reader.decompress(compressed, most + 1)
        if len(data) > most:
            raise TooMuchError(f"a part of the link holds more than {most} characters, expected at most {most}")
        if not reader.eof or reader.unused_data:
            raise ValueError("a part of the link is damaged: it ends too early or too late")
        return data.decode("utf-8", "surrogatepass")
    except (binascii.Error, zlib.error, UnicodeError) as error:
        raise ValueError("a part of the link is damaged: it cannot be unpacked") from error
