"""How often marking is right: false alarms, misses, and causes, over handouts with and without a planted slip."""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from attnviz.features.check.marking import ENTERS, NOT_RIGHT, Mark, Marking, mark_pipeline
from attnviz.features.check.marking.causes import causes_of
from benchmarks.handouts.heads import SLIPS_OF_HEADS, right_handout_of_heads, wrong_handout_of_heads
from benchmarks.handouts.one_head import SLIPS, Handout, right_handout, wrong_handout
from benchmarks.rows import Row

HANDOUTS = 2400
FROM = 2.5  # units of the last place: what is nearer may come from rounding, and is no slip that leaves a trace
# Slips that are one and the same, said in other words.
_SAME = {
    "root_forgotten": {"unscaled", "left_as_it_was"},
    "unscaled": {"root_forgotten", "left_as_it_was"},
    "d_k_for_root": {"scaled_again"},
    "wrong_values": {"other_factor"},
    "scores_as_weights": {"other_factor", "left_as_it_was"},
    "exchanged": {"turned"},
    "misread": {"digits_read", "sign_read"},
    "comma": {"times_ten"},
    "sign": {"sign_of_all"},
    "mask_forgotten": {"left_as_it_was"},
}


@dataclass
class Count:
    """What came out, added up."""

    handouts: int = 0
    cells: int = 0
    right_cells: int = 0
    alarms: int = 0
    doubtful_right: int = 0
    planted: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    doubtful: Counter[str] = field(default_factory=Counter)
    traced: Counter[str] = field(default_factory=Counter)
    named: Counter[str] = field(default_factory=Counter)
    misnamed: Counter[tuple[str, str]] = field(default_factory=Counter)
    alarmed: list[str] = field(default_factory=list)
    slowest: float = 0.0

    def take(self, handout: Handout, of: str = "") -> None:
        """Mark a handout, and count."""
        self.handouts += 1
        start = time.perf_counter()
        marking = mark_pipeline(handout.tables, **handout.settings)
        self.slowest = max(self.slowest, time.perf_counter() - start)
        group = "typed" if handout.way in ("rounded", "full") and handout.decimals < 4 else "printed out"
        traces = handout.traces
        for table in marking.tables:
            wrong = table.at(*ENTERS)
            slipped = traces > 0 if table.stage.name == handout.stage else np.zeros(wrong.shape, dtype=bool)
            self.cells += wrong.size
            self.right_cells += int((~slipped).sum())
            false = int((wrong & ~slipped).sum())
            self.alarms += false
            if false:
                self.alarmed.append(f"{of} {handout.way} {handout.decimals} {table.stage.name}: {false}")
            doubtful = table.at(Mark.DOUBTFUL)
            self.doubtful_right += int((doubtful & ~slipped).sum())
            if slipped.any():
                far = traces >= FROM
                self.planted[group] += int(far.sum())
                self.missed[group] += int((far & ~table.at(*NOT_RIGHT) & ~doubtful).sum())
                self.doubtful[group] += int((far & doubtful).sum())
        if handout.slip and (traces >= FROM).any():
            self._name(handout, marking)

    def _name(self, handout: Handout, marking: Marking) -> None:
        slip = handout.slip
        self.traced[slip] += 1
        causes = [cause for table in marking.tables if table.stage.name == handout.stage
                  for cause in causes_of(marking, table)]  # fmt: skip
        if (slip == "cut" and marking.reading.results == "cut") or any(
            cause.name == slip or cause.name in _SAME.get(slip, ()) or _is_made(cause.values, handout)
            for cause in causes
        ):
            self.named[slip] += 1
        elif causes:
            self.misnamed[slip, causes[0].name] += 1


def _is_made(values: np.ndarray, handout: Handout) -> bool:
    """Whether a cause gives, with all digits, what was planted: then it is the same slip in other words."""
    return handout.made is not None and bool(np.allclose(values, handout.made, rtol=1e-9, atol=1e-9))


def counted(seeds: Iterable[int], slips: Iterable[str] = SLIPS) -> Count:
    """Mark a right handout and one with each slip for each seed, of one head and of several."""
    count = Count()
    for seed in seeds:
        count.take(right_handout_of_heads(seed), f"heads {seed}")
        for slip in SLIPS_OF_HEADS:
            if of_heads := wrong_handout_of_heads(slip, seed):
                count.take(of_heads, f"heads {slip} {seed}")
        count.take(right_handout(seed), f"right {seed}")
        for slip in slips:
            handout = wrong_handout(slip, seed)
            if handout is not None:
                count.take(handout, f"{slip} {seed}")
    return count


def run(handouts: int = HANDOUTS) -> list[Row]:
    """Return the figures as rows of the table."""
    count = counted(range(max(1, handouts // (len(SLIPS) + len(SLIPS_OF_HEADS) - 6))))
    traced, named = sum(count.traced.values()), sum(count.named.values())
    worst = ", ".join(
        f"{slip} {count.named[slip]}/{n}"
        for slip, n in sorted(count.traced.items(), key=lambda each: count.named[each[0]] / each[1])[:5]
    )
    return [
        Row(f"marking: cells of {count.handouts:,} handouts", f"{count.cells:,}"),
        Row("marking: false alarms in 1,000 right cells", f"{1000 * count.alarms / count.right_cells:.2f}", "< 1"),
        Row("marking: of 1,000 right cells in doubt", f"{1000 * count.doubtful_right / count.right_cells:.2f}"),
        *(
            Row(f"marking: planted cells missed, {group} ({count.planted[group]:,})", str(count.missed[group]),
                "<= 0" if group == "typed" else "")
            for group in ("typed", "printed out")
        ),
        Row("marking: planted cells in doubt", str(count.doubtful.total())),
        Row(f"marking: cause named rightly, % of {traced:,} slips", f"{100 * named / traced:.1f}", ">= 85"),
        Row("marking: cause named wrongly, %", f"{100 * sum(count.misnamed.values()) / traced:.1f}", "<= 1"),
        Row("marking: slowest handout, ms", f"{1000 * count.slowest:.0f}"),
        Row(f"marking: named least often: {worst}", ""),
    ]  # fmt: skip
