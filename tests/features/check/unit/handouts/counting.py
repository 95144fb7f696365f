"""Counts of how often marking is right: false alarms, misses and causes, for handouts with and without a slip."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from attnviz.features.check.marking import ENTERS, NOT_RIGHT, Mark, Marking, mark_pipeline
from attnviz.features.check.marking.causes import causes_of
from tests.features.check.unit.handouts.heads import SLIPS_OF_HEADS, right_handout_of_heads, wrong_handout_of_heads
from tests.features.check.unit.handouts.one_head import SLIPS, Handout, right_handout, wrong_handout

FROM = 2.5  # units of the last place: a slip that moves cells by less may look like rounding
# Slips that are the same mistake by other names.
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
    """The counts of all markings."""

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

    def take(self, handout: Handout, of: str = "") -> None:
        """Mark a handout, and count the results."""
        self.handouts += 1
        marking = mark_pipeline(handout.tables, **handout.settings)
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
    """Whether a cause gives the planted table, with all digits: then it's the same slip by another name."""
    return handout.made is not None and bool(np.allclose(values, handout.made, rtol=1e-9, atol=1e-9))


def counted(seeds: Iterable[int], slips: Iterable[str] = SLIPS) -> Count:
    """Mark a right handout and one with each slip for each seed, with one head and with several."""
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
