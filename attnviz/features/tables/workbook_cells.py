"""A process that prints a workbook's cells as JSON, by sheet.

python-calamine allocates a grid up to the farthest cell, and ends the process if there isn't enough memory. So it runs
in a process of its own, with enough memory and time for any workbook handed in, which imports nothing of the package.
"""

import datetime
import io
import json
import sys

MOST_SHEETS, MOST_ROWS, MOST_COLUMNS = 20, 1000, 200
_MEMORY, _SECONDS = 1 << 30, 10


def _limit() -> None:
    try:
        import resource
    except ModuleNotFoundError:  # on Windows, where the parent process ends it
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))


def _plain(value: object) -> object:
    return str(value) if isinstance(value, (datetime.date, datetime.time, datetime.timedelta)) else value


def main() -> None:
    """Read a workbook from standard input, and print its cells."""
    from python_calamine import CalamineWorkbook

    _limit()
    book = CalamineWorkbook.from_filelike(io.BytesIO(sys.stdin.buffer.read()))
    sheets = {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names[:MOST_SHEETS]}
    json.dump(
        {name: [[*map(_plain, row[:MOST_COLUMNS])] for row in rows[:MOST_ROWS]] for name, rows in sheets.items()},
        sys.stdout,
    )


if __name__ == "__main__":
    main()
