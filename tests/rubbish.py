"""Kinds of rubbish that a link may have in place of a value."""

RUBBISH = {
    "garbage": "garbage",
    "300 KB": "x.1*" * 75_000,
    "NUL": "\0\0",
    "broken UTF-8": "\ufffd",  # the decoded form, in which it arrives
    "prototype": "__proto__",
    "NaN": "NaN",
    "digits": "1" * 5000,
    "minus": "-1",
    "bomb": "z1.eNrtwQEBAAAAgJD-r-4ICgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
}
