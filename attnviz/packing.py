"""Long texts made short for a URL: compressed, with a version, and read back within bounds."""

import base64
import binascii
import zlib

VERSION = 1
_PREFIX = f"z{VERSION}."


def pack(text: str) -> str:
    """Return a text as compressed bytes, written with the characters that a URL carries as they are.

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

    Raises ``ValueError`` for another version, for what is damaged, and for more than `most` bytes of text;
    no more than these are ever unpacked, whatever was packed.
    """
    if not packed.startswith(_PREFIX):
        raise ValueError(f"a part of the link begins with {packed[:8]!r}, expected {_PREFIX!r} of this version")
    try:
        raw = packed.removeprefix(_PREFIX).encode("ascii")
        compressed = base64.b64decode(raw + b"=" * (-len(raw) % 4), altchars=b"-_", validate=True)
        reader = zlib.decompressobj()
        data = reader.decompress(compressed, most + 1)
        if len(data) > most:
            raise ValueError(f"a part of the link holds more than {most} characters, expected at most {most}")
        if not reader.eof or reader.unused_data:
            raise ValueError("a part of the link is damaged: it ends too early or too late")
        return data.decode("utf-8", "surrogatepass")
    except (binascii.Error, zlib.error, UnicodeError) as error:
        raise ValueError("a part of the link is damaged: it cannot be unpacked") from error
