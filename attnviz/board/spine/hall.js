// What a lecture room shows of a board: fewer matrices where there is no room for all of them in digits that are read
// from the last row. What a row reads, from its scores to its context, stays.

import { layoutOf } from "./layout.js";
import { planOf } from "./plan.js";

const UNDER = 8; // pixels under a board that its titles may take

// Whether numbers have the room of the ribbons: in a lecture room, and on the boards of some questions.
export function numbersFirst(/** @type {Pick<BoardData, "ribbons" | "tells">} */ { ribbons, tells }) {
  return ribbons === null || tells?.presents === true;
}

/**
 * The matrices that may stand there, each time fewer of them: without what makes the keys, without what is learned,
 * without vectors as they come in, and scores, weights and contexts alone.
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
 * Which matrices a lecture room sees, in which room, and how much of that is left to names of V's rows, where these
 * are so `long`; `said` is how high what is read is, under the words. What is tried, one after the other: fewer of
 * them, with V over what it is a factor of and in the spine; the fewest come after more without the scale of colours;
 * then all of it smaller.
 * @param {Stage[]} stages @param {Shapes} shapes @param {string[]} placed @param {Room} room @param {number} said
 * @param {number} long @returns {{ seen: string[], named: number, room: Room }}
 */
export function inHall(stages, shapes, placed, room, said, long) {
  const ways = fewerOf(stages, placed);
  const last = ways[ways.length - 1]; // without V
  /** @type {{ seen: string[], spined?: boolean, lean?: boolean, by?: number }[]} */
  const tried = [{ seen: placed }, { seen: placed, spined: true }, // of a step, its own are what it's about
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
 * Whether all of a board is seen at once, in whole numbers.
 * @param {Layout} layout @param {number} said high is what is read, under the words @param {Room} room
 */
export function isWhole(layout, said, room) {
  const { arcs, chips, shares, height, width, folded, boxes } = layout;
  const head = room.sentence ? arcs + chips + shares + said * layout.scale : 0;
  return !folded.length && width <= room.width - room.tells && head + height <= room.height + UNDER
    && Object.values(boxes).every(({ readable }) => readable);
}
