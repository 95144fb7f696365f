// Places of column names that are too wide to stand side by side.

/** @typedef {{ x: number, width: number, upper: boolean }} Place */

const ASIDE = 0.6; // columns: how far a name may be shifted away from its own column

// Where each name begins, and whether it stands in the upper of two lines. A name without room gets null and is left
// out, because a cut name would run into the next one; the dock names each cell that is pointed at anyway.
/**
 * @param {number[]} widths @param {Pick<Box, "width" | "cell">} box
 * @returns {({ x: number, upper: boolean } | null)[]}
 */
export function inTwo(widths, box) {
  /** @type {Place[][]} */
  const lines = [[], []];
  return widths.map((width, at) => {
    const x = Math.max(0, Math.min(box.width - width, (at + 0.5) * box.cell - width / 2));
    const turns = at % 2 === 0 ? [lines[1], lines[0]] : lines;
    const line = turns.find((each) => endOf(each) <= x + 0.5)
      ?? turns.find((each) => makeRoom(each, x, ASIDE * box.cell));
    if (line === undefined) return null;
    const place = { x, width, upper: line === lines[1] };
    line.push(place);
    return place;
  });
}

/** @param {Place[]} line */
function endOf(line) {
  const last = line[line.length - 1];
  return last ? last.x + last.width : 0;
}

// Shift a line's names to the left until the last one ends at `end`. If a name would leave the box or move by more than
// `most` pixels, return false and shift none.
/** @param {Place[]} line @param {number} end @param {number} most */
function makeRoom(line, end, most) {
  const to = line.map(({ x }) => x);
  for (let at = line.length - 1, next = end; at >= 0; at -= 1) {
    to[at] = Math.min(to[at], next - line[at].width);
    next = to[at];
  }
  if (line.some(({ x }, at) => to[at] < 0 || x - to[at] > most)) return false;
  line.forEach((place, at) => { place.x = to[at]; });
  return true;
}
