"""Pages of a class's hand-ins, and sheets that several handed in."""

from collections.abc import Iterator, Mapping, Sequence

from attnviz.features.check.exercises.hand_ins import Marked
from attnviz.words import say

STUDENTS = "students"
_MOST_BYTES = 150  # longest file name of a page: file systems limit names in bytes
_MOST_NAMED = 10


def page_names(marked: Sequence[Marked]) -> list[str]:
    """Return each hand-in's page below the class's folder, no two alike.

    Names that are equal as file names, apart from upper and lower case, are numbered from the second on.

    >>> page_names([Marked("a/b.txt"), Marked("a_b.txt"), Marked("A_B.txt")])
    ['students/a_b.txt.html', 'students/a_b.txt-2.html', 'students/A_B.txt-3.html']
    """
    taken: set[str] = set()
    found = []
    for each in marked:
        bare = name = _file_name(each.name)
        n = 1
        while name.lower() in taken:
            n += 1
            name = f"{bare}-{n}"
        taken.add(name.lower())
        found.append(f"{STUDENTS}/{name}.html")
    return found


def _file_name(name: str) -> str:
    """Return a file name for a hand-in, without any folder separators."""
    bare = "".join(letter if letter.isalnum() or letter in " .-" else "_" for letter in name)
    return bare.encode("utf-8", "replace")[:_MOST_BYTES].decode("utf-8", "ignore")


def sheets_in_common(marked: Sequence[Marked]) -> Mapping[str, tuple[Marked, ...]]:
    """Return the sheets handed in more than once, with their hand-ins."""
    found: dict[str, tuple[Marked, ...]] = {}
    for each in marked:
        if each.sheet:
            found[each.sheet] = (*found.get(each.sheet, ()), each)
    return {sheet: those for sheet, those in found.items() if len(those) > 1}


def told_of_common(marked: Sequence[Marked]) -> Iterator[str]:
    """Yield a sentence for each sheet handed in more than once."""
    for sheet, those in sheets_in_common(marked).items():
        yield say("exercises.class.common", sheet=sheet, names=in_a_row([each.name for each in those]))


def in_a_row(names: Sequence[str]) -> str:
    """Return names separated by commas; of very many, the first ones."""
    return ", ".join([*names[:_MOST_NAMED], *["…"] * (len(names) > _MOST_NAMED)])
