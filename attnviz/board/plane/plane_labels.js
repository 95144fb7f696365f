// Places names beside points so that none covers another: near its point if there's room, else farther away, with a
// line to the point. The same points always give the same places.

import { line } from "./plane_geometry.js";
import { overlap } from "../cells/elements.js";

// If there are at most this many points, each of them has a name, however crowded they are.
export const NAMED = 8;
const LONGEST = 12; // letters of a name
const DISTANCES = [3, 12, 24, 40, 60]; // pixels from the point, before scaling
const FAR = 12; // a name this far away has a line to its point
const SIDES = [[1, 0], [-1, 0], [0.7, -0.8], [-0.7, -0.8], [0.7, 0.8], [-0.7, 0.8], [0, -1], [0, 1]];
const COSTS = { point: 20, line: 8, width: 0.6, side: 0.25, distance: 3 };
const WIDEST = /[MW@%—…]/u;
const WIDE = /[mw]/u;
const CAPITAL = /[A-Z]/;
const PLAIN = /[ -~]/;
const FULL = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f000}-\u{1faff}]/u;
const OTHER = 0.9; // the width of any other letter, relative to its size
const NARROW = /[iljtfrI.,:;'’“”!|()[\] ·-]/u;

export function shortened(/** @type {string} */ text) {
  const letters = [...text];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : text;
}

// The approximate width of a text, by its letters; never less than it really is.
/** @param {string} text @param {number} size the size of a letter */
function widthOf(text, size) {
  const kinds = /** @type {[RegExp, number][]} */ ([[FULL, 1.4], [WIDEST, 1.12], [WIDE, 1.05], [NARROW, 0.46],
    [CAPITAL, 0.8], [PLAIN, 0.69]]);
  const of = (/** @type {string} */ letter) => kinds.find(([kind]) => kind.test(letter))?.[1] ?? OTHER;
  return [...text].reduce((sum, letter) => sum + of(letter) * size, 0);
}

/**
 * Place names among points and lines; names that are `kept` stay in their places if they can.
 * @param {Named[]} named @param {Line[]} lines @param {Size} size @param {number} scale
 * @param {Map<string, number>} kept @returns {{ places: Placed[], crowded: boolean }}
 */
function placesOf(named, lines, size, scale, kept = new Map()) {
  const inTurn = named.toSorted((a, b) => Number(kept.has(b.id)) - Number(kept.has(a.id)) || a.rank - b.rank);
  /** @type {Placed[]} */
  const places = [];
  for (const each of inTurn) {
    const place = placeOf(each, places, named, lines, size, scale, kept.get(each.id));
    if (place) places.push(place);
    else if (each.rank < NAMED + 1) return { places: inColumn(named.filter(({ rank }) => rank < NAMED + 1), size),
      crowded: true };
  }
  return { places, crowded: false };
}

/**
 * @param {Named} named @param {Rect[]} taken @param {Named[]} points @param {Line[]} lines @param {Size} size
 * @param {number} scale @param {number | undefined} kept @returns {Placed | null}
 */
function placeOf(named, taken, points, lines, size, scale, kept) {
  const free = (/** @type {Rect} */ box) => fits(box, size) && !taken.some((other) => overlap(box, other));
  if (kept !== undefined && kept >= 0) {
    const box = choiceOf(named, kept, scale);
    if (free(box)) return placed(named, box, kept);
  }
  let [best, least] = [-1, Infinity];
  for (let choice = 0; choice < SIDES.length * DISTANCES.length; choice += 1) {
    const cost = COSTS.side * (choice % SIDES.length) + COSTS.distance * Math.floor(choice / SIDES.length);
    if (cost >= least) continue;
    const box = choiceOf(named, choice, scale);
    if (!free(box)) continue;
    const onPoints = points.filter((point) => point.id !== named.id && overlap(box, around(point))).length;
    const onLines = lines.filter(({ from, to, width }) => crosses(box, from, to, width / 2));
    const whole =
      onLines.reduce((sum, { width }) => sum + COSTS.line + COSTS.width * width, cost + COSTS.point * onPoints);
    if (whole < least) [best, least] = [choice, whole];
  }
  return best < 0 ? null : placed(named, choiceOf(named, best, scale), best);
}

/** @param {Named} named @param {Rect} box @param {number} choice @returns {Placed} */
function placed(named, box, choice) {
  const far = DISTANCES[Math.floor(choice / SIDES.length)] >= FAR;
  return { ...box, id: named.id, choice, leader: far ? leaderOf(named.at, box) : null };
}

// The box of a name at one of its possible places.
/** @param {Named} named @param {number} choice @param {number} scale @returns {Rect} */
function choiceOf({ at: [x, y], radius, width, height }, choice, scale) {
  const [right, down] = SIDES[choice % SIDES.length];
  const off = radius + DISTANCES[Math.floor(choice / SIDES.length)] * scale;
  return { x: x + right * off + (Math.sign(right) - 1) * (width / 2),
    y: y + down * off + (Math.sign(down) - 1) * (height / 2), width, height };
}

// Place names in a column, one below the other, in the order of their points. There's always room for that.
/** @param {Named[]} named @param {Size} size @returns {Placed[]} */
function inColumn(named, size) {
  const inOrder = named.toSorted((a, b) => a.at[1] - b.at[1] || a.rank - b.rank);
  const tops = inOrder.map(({ at, height }) => at[1] - height / 2);
  const heights = inOrder.map(({ height }) => height);
  for (let at = 0; at < tops.length; at += 1) tops[at] = Math.max(tops[at], at ? tops[at - 1] + heights[at - 1] : 0);
  for (let at = tops.length - 1; at >= 0; at -= 1) tops[at] =
    Math.min(tops[at], (at < tops.length - 1 ? tops[at + 1] : size.height) - heights[at]);
  return inOrder.flatMap(({ id, at, width, height }, index) => {
    const box = { x: size.width - width, y: tops[index], width, height };
    return box.y < -0.01 ? [] : [{ ...box, id, choice: -1, leader: leaderOf(at, box) }];
  });
}

/** @param {Point} from @param {Rect} box @returns {[Point, Point]} */
function leaderOf([x, y], box) {
  return [[x, y],
    [Math.min(box.x + box.width, Math.max(box.x, x)), Math.min(box.y + box.height - 2, Math.max(box.y + 2, y))]];
}

/** @param {Named} point @returns {Rect} */
function around({ at: [x, y], radius }) {
  return { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius };
}

/** @param {Rect} box @param {Size} size */
function fits(box, size) {
  return box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width && box.y + box.height <= size.height;
}

// Whether a line, with `near` pixels of room on both sides, crosses a box.
/** @param {Rect} box @param {Point} from @param {Point} to @param {number} near */
function crosses(box, [x0, y0], [x1, y1], near) {
  let [first, last] = [0, 1];
  for (const [start, way, low, high] of [[x0, x1 - x0, box.x - near, box.x + box.width + near],
    [y0, y1 - y0, box.y - near, box.y + box.height + near]]) {
    if (way === 0) {
      if (start < low || start > high) return false;
      continue;
    }
    const [a, b] = [(low - start) / way, (high - start) / way];
    [first, last] = [Math.max(first, Math.min(a, b)), Math.min(last, Math.max(a, b))];
  }
  return first < last;
}

// The lines of the axes in a picture, and where their names stand.

const LETTER = 14; // pixels: the size of all letters in the picture
export const LINE = 17; // pixels: the height of a line of text
const GAP = 3;

// The horizontal and the vertical axis; one without a name is left out. Each name has four possible places, at both
// ends of its axis and on both sides of it.
/** @param {View} view @param {Size} size @param {number} scale @param {(string | null)[]} names
 *  @returns {AxisLine[]} */
export function rulersOf({ origin: [x, y] }, { width, height }, scale, names) {
  const gap = GAP * scale;
  return names.flatMap((text, upwards) => {
    if (text === null) return [];
    const box = { width: widthOf(text, LETTER * scale), height: LINE * scale };
    const [right, bottom] = [width - box.width, height - box.height];
    const [rights, downs] = upwards ? [[x + gap, x - gap - box.width], [0, bottom]]
      : [[right, 0], [y + gap, y - gap - box.height]];
    const stands = rights.flatMap((left) => downs.map((top) =>
      ({ ...box, x: within(left, right), y: within(top, bottom) })));
    const path = upwards ? line([x, 0], [x, height]) : line([0, y], [width, y]);
    return [{ text, stands, path: (upwards ? isBetween(x, width) : isBetween(y, height)) ? path : "" }];
  });
}

/** @param {number} at @param {number} end */
function isBetween(at, end) {
  return at >= 0 && at <= end;
}

/** @param {number} at @param {number} most */
function within(at, most) {
  return Math.max(0, Math.min(at, most));
}

// The names in a picture: which there are, how large they are, and where they stand.

export const MAIN = "main";

/**
 * Place the names of a picture. The word that the pointer is on always has its name, however many words there are.
 * @param {Picture} picture @param {string[]} labels @param {Size} size @param {number} scale
 * @param {Map<string, number>} kept @param {number | null} pointed
 */
export function namesIn(picture, labels, size, scale, kept = new Map(), pointed = null) {
  const lines = picture.marks.map(({ at, width }) => ({ from: picture.hub, to: at, width }));
  if (picture.main) lines.push({ from: picture.hub, to: picture.main.at, width: 3 * scale });
  const named = namedIn(picture, labels, size, scale, pointed);
  const { places, crowded } = placesOf(named, lines, size, scale, kept);
  const leaders = places.flatMap(({ leader }) => (leader ? [{ from: leader[0], to: leader[1], width: 1 }] : []));
  return { named, places, crowded,
    rulers: crowded ? [] : axesNamed(picture.rulers, [...places, ...named.map(around)], [...lines, ...leaders]) };
}

// Place the names of axes, each where it covers nothing; one without such a place is left out.
/** @param {AxisLine[]} rulers @param {Rect[]} taken @param {Line[]} lines @returns {(Rect & { text: string })[]} */
function axesNamed(rulers, taken, lines) {
  return rulers.flatMap(({ text, stands }) => {
    const place = stands.find((box) => !taken.some((other) => overlap(box, other))
      && !lines.some(({ from, to, width }) => crosses(box, from, to, width / 2)));
    if (place) taken.push(place);
    return place ? [{ ...place, text }] : [];
  });
}

// The points to name: the query or the context first, then the words by their weights.
/** @param {Picture} picture @param {string[]} labels @param {Size} size @param {number} scale
 *  @param {number | null} pointed @returns {Named[]} */
function namedIn(picture, labels, size, scale, pointed) {
  const [letter, height] = [LETTER * scale, LINE * scale];
  const inTurn = picture.marks.toSorted((a, b) => b.weight - a.weight || a.word - b.word);
  const words = inTurn.map(({ word, at, radius }, turn) => ({
    id: String(word), at, radius, height, width: Math.min(size.width, widthOf(shortened(labels[word]), letter)),
    rank: word === pointed && turn >= NAMED ? 1 : turn + 1,
  }));
  if (!picture.main) return words;
  const { at, radius, label } = picture.main;
  return [{ id: MAIN, at, radius, height, width: widthOf(cut(label, size.width, scale), letter), rank: 0 }, ...words];
}

// Cut a text to a width.
/** @param {string} text @param {number} width @param {number} scale */
export function cut(text, width, scale) {
  const letters = [...text];
  const whole = letters.length;
  while (letters.length > 1
    && widthOf(letters.join("") + (letters.length < whole ? "…" : ""), LETTER * scale) > width) letters.pop();
  return letters.length < whole ? `${letters.join("")}…` : text;
}
