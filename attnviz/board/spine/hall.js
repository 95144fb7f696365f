// The board in a lecture room: fewer matrices, if not all of them fit with digits that can be read from the last row.
// Scores, attention weights and context always stay.

import { layoutOf } from "./layout.js";
import { planOf } from "./plan.js";

const UNDER = 8; // pixels by which the titles below may exceed the room

// Whether numbers get the ribbons' room: while presenting, and on the boards of some questions.
export function numbersFirst(/** @type {Pick<BoardData, "ribbons" | "tells">} */ { ribbons, tells }) {
  return ribbons === null || tells?.presents === true;
}

/**
 * Choices of matrices, from all to the fewest: without W_k, without all learned matrices, without input vectors, and
 * only those with a column for each key, with the context.
 * @param {Stage[]} stages @param {string[]} placed @returns {string[][]}
 */
function fewerOf(stages, placed) {
  const has = Object.fromEntries(stages.map((stage) => [stage.name, stage]));
  const without = (/** @type {(stage: Stage) => boolean} */ out) => placed.filter((name) => !out(has[name]));
  const makesKeys = planOf(stages, placed, false).find(({ turned }) => turned)?.weight;
  const mixes = (/** @type {Stage} */ { is, sources }) => is.product && has[sources[0]]?.is.shares;
  const isLearned = (/** @type {Stage} */ { rows }) => rows === "feature";
  const ways = [placed, without((stage) => stage === makesKeys), without(isLearned)];
  const attention = without((stage) => isLearned(stage) || stage.role === "x");
  if (!placed.some((name) => mixes(has[name]))) {
    const scores = without((stage) => stage.columns !== "key");
    return [...ways, attention, scores].filter((names) => names.length);
  }
  return [...ways, attention,
    without((stage) => stage.columns !== "key" && !mixes(stage))];
}

/**
 * The matrices that a lecture room sees, their room, and the width left for the names of V's rows, which are `long`
 * pixels wide; `said` is the height of the summary of what is read, below the sentence. Fewer and fewer matrices are
 * tried, each time with V above its product and then in the spine; before the fewest, the colour scale is left out; at
 * last everything is scaled down.
 * @param {Stage[]} stages @param {Shapes} shapes @param {string[]} placed @param {Room} room @param {number} said
 * @param {number} long @returns {{ seen: string[], named: number, room: Room }}
 */
export function inHall(stages, shapes, placed, room, said, long) {
  const ways = fewerOf(stages, placed);
  const last = ways[ways.length - 1]; // the fewest, without V
  /** @type {{ seen: string[], spined?: boolean, lean?: boolean, by?: number }[]} */
  const tried = [{ seen: placed }, { seen: placed, spined: true }, // a lesson's step is about all of its matrices
    ...(room.tells ? [{ seen: placed, lean: true }, { seen: placed, spined: true, lean: true }] : []),
    ...ways.slice(1, -1).flatMap((seen) => [{ seen }, { seen, spined: true }]),
    ...ways.slice(-2, -1).map((seen) => ({ seen, spined: true, lean: true })),
    { seen: last }, { seen: last, spined: true },
    ...Array.from({ length: 21 }, (_, at) => ({ seen: last, lean: true, by: 1 - at / 40 }))];
  const rooms = tried.map(({ seen, ...how }) =>
    ({ seen, named: how.spined || seen === last ? 0 : long, room: { ...room, ...how } }));
  return rooms.find(({ seen, named, room: own }) => {
    const free = { ...own, width: room.width - named };
    return isWhole(layoutOf(stages, shapes, seen, free), said, free);
  }) ?? rooms[rooms.length - 1];
}

/**
 * Whether the whole board fits, unfolded and with readable numbers.
 * @param {Layout} layout @param {number} said height of the summary below the sentence @param {Room} room
 */
export function isWhole(layout, said, room) {
  const { arcs, chips, shares, height, width, folded, boxes } = layout;
  const head = room.sentence ? arcs + chips + shares + said * layout.scale : 0;
  return !folded.length && width <= room.width - room.tells && head + height <= room.height + UNDER
    && Object.values(boxes).every(({ readable }) => readable);
}
