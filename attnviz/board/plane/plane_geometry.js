// Where keys stand around a query. A key's score is the query's length times how far the key reaches along the query.
// Angles and lengths are true for any number of features, because each key is drawn in the plane through it and the
// query.

const LONGEST = 2.5; // a query is drawn at most this many times as far as the farthest key
// An axis counts as out of a projection's reach if its square is less than this part of the largest one.
const NO_MORE = 1e-8;
const DIGITS = 5; // significant digits of a vector that is moved by hand, counted from those of its largest number

export function lengthOf(/** @type {ArrayLike<number>} */ vector) {
  return Math.hypot(...Array.from(vector));
}

export function allFinite(/** @type {ArrayLike<number>} */ vector) {
  return Array.from(vector).every(Number.isFinite);
}

// How far a key reaches along a query, and how far it is from the query's line.
/** @param {number[]} query @param {number[]} key @returns {{ reach: number, rest: number }} */
export function reachOf(query, key) {
  const length = lengthOf(query);
  const along = query.map((each) => each / length);
  const reach = key.reduce((sum, each, at) => sum + each * along[at], 0);
  return { reach, rest: lengthOf(key.map((each, at) => each - reach * along[at])) };
}

// The query's direction in the picture: its own if it has two features, else upwards; null for a query of length 0.
/** @param {number[]} query @returns {Point | null} */
export function directionOf(query) {
  const length = lengthOf(query);
  if (!(length > 0)) return null;
  return query.length === 2 ? [query[0] / length, query[1] / length] : [0, 1];
}

// Where keys stand: at their own coordinates if they have two features, else as high as they reach along the query, and
// as far to the right as they are from its line.
/** @param {number[]} query @param {number[][]} keys @returns {KeySpot[]} */
export function spotsOf(query, keys) {
  const direction = directionOf(query);
  return keys.map((key) => {
    const { reach, rest } = direction ? reachOf(query, key) : { reach: 0, rest: lengthOf(key) };
    /** @type {Point} */
    const at = key.length === 2 ? [key[0], key[1]] : [rest, reach];
    return { reach, at, foot: direction ? [direction[0] * reach, direction[1] * reach] : [0, 0] };
  });
}

// The query's tip in the picture. A query much longer than all keys is cut, because it would leave them no room.
/** @param {number[]} query @param {KeySpot[]} spots @returns {{ tip: Point, cut: boolean }} */
export function tipOf(query, spots) {
  const direction = directionOf(query);
  if (!direction) return { tip: [0, 0], cut: false };
  const length = lengthOf(query);
  const farthest = LONGEST * Math.max(0, ...spots.map(({ at }) => lengthOf(at)));
  const cut = farthest > 0 && length > farthest;
  const drawn = cut ? farthest : length;
  return { tip: [direction[0] * drawn, direction[1] * drawn], cut };
}

// ---- the view ----

// Choose the unit and the origin so that all points fit. The view that is `kept` stays if they fit into it.
/** @param {Point[]} points @param {Size} size @param {number} margin @param {View | null} kept @returns {View} */
export function viewOf(points, size, margin, kept = null) {
  if (kept && (kept.fixed || points.every((each) => isInside(placed(kept, each), size, margin / 2)))) return kept;
  const [left, right] = span(points.map(([x]) => x));
  const [lower, upper] = span(points.map(([, y]) => y));
  const [width, height] = [size.width - 2 * margin, size.height - 2 * margin];
  const most = Math.min(right > left ? width / (right - left) : Infinity,
    upper > lower ? height / (upper - lower) : Infinity);
  const unit = Number.isFinite(most) ? most : Math.min(width, height);
  return { unit,
    origin: [size.width / 2 - ((left + right) / 2) * unit, size.height / 2 + ((lower + upper) / 2) * unit] };
}

function span(/** @type {number[]} */ values) {
  return [Math.min(...values), Math.max(...values)];
}

/** @param {Point} point @param {Size} size @param {number} margin */
function isInside([x, y], { width, height }, margin) {
  return x >= margin && y >= margin && x <= width - margin && y <= height - margin;
}

// A point's place in pixels.
/** @param {View} view @param {Point} point @returns {Point} */
export function placed({ unit, origin }, [x, y]) {
  return [origin[0] + x * unit, origin[1] - y * unit];
}

// The point at a place in pixels.
/** @param {View} view @param {Point} pixel @returns {Point} */
export function pointAt({ unit, origin }, [x, y]) {
  return [(x - origin[0]) / unit, (origin[1] - y) / unit];
}

// ---- shapes ----

// The outline of an arrow of a given width. An arrow shorter than a head is drawn as a head alone.
/** @param {Point} from @param {Point} to @param {number} width @param {number} scale */
export function arrow([x0, y0], [x1, y1], width, scale) {
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length < 0.5) return "";
  const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
  const head = Math.min(length, 6 * scale + 0.9 * width);
  const [shaft, wing] = [width / 2, (Math.min(head, 3 * scale + 0.7 * width) * head) / (6 * scale + 0.9 * width)];
  const at = (/** @type {number} */ along, /** @type {number} */ aside) =>
    point([x0 + dx * along - dy * aside, y0 + dy * along + dx * aside]);
  const neck = length - head;
  const thin = Math.min(shaft, wing);
  const outline = [at(0, thin), at(neck, thin), at(neck, wing), at(length, 0), at(neck, -wing), at(neck, -thin),
    at(0, -thin)];
  return `M${outline.join(" L")} Z`;
}

/** @param {Point} from @param {Point} to */
export function line(from, to) {
  return `M${point(from)} L${point(to)}`;
}

function point(/** @type {Point} */ [x, y]) {
  return `${x.toFixed(2)} ${y.toFixed(2)}`;
}

// The line through a point in a direction, from edge to edge of the picture; blank if it's outside.
/** @param {Point} through @param {Point} direction @param {Size} size */
export function across([x, y], [dx, dy], { width, height }) {
  const walls = [[x, dx, width], [y, -dy, height]].filter(([, step]) => Math.abs(step) > 1e-9);
  const spans = walls.map(([start, step, end]) => [-start / step, (end - start) / step].toSorted((a, b) => a - b));
  const [from, to] = [Math.max(...spans.map(([low]) => low)), Math.min(...spans.map(([, high]) => high))];
  return from < to ? line([x + dx * from, y - dy * from], [x + dx * to, y - dy * to]) : "";
}

// ---- moving a tip ----

// The smallest change of a vector x that changes x · W as wished. If W can only move it along one line, the change
// comes as near as possible.
/** @param {number[][]} rows the rows of W, two numbers each @param {Point} wished @returns {number[]} */
export function smallestChange(rows, wished) {
  let [uu, uv, vv] = [0, 0, 0];
  for (const [u, v] of rows) [uu, uv, vv] = [uu + u * u, uv + u * v, vv + v * v];
  const largest = (uu + vv) / 2 + Math.hypot((uu - vv) / 2, uv);
  if (!(largest > 0)) return rows.map(() => 0);
  const angle = Math.atan2(2 * uv, uu - vv) / 2;
  const squares = [largest, Math.max(0, (uu * vv - uv * uv) / largest)];
  const axes = [[Math.cos(angle), Math.sin(angle)], [-Math.sin(angle), Math.cos(angle)]];
  let [s, t] = [0, 0];
  axes.forEach(([a, b], at) => {
    if (squares[at] <= NO_MORE * largest) return;
    const share = (wished[0] * a + wished[1] * b) / squares[at];
    [s, t] = [s + share * a, t + share * b];
  });
  return rows.map(([u, v]) => u * s + v * t);
}

// A vector after a change, rounded to what a hand can control; numbers that don't change keep all their digits.
/** @param {number[]} vector @param {number[]} change */
export function rounded(vector, change) {
  const sums = vector.map((each, at) => each + change[at]);
  const largest = Math.max(...sums.map(Math.abs));
  if (!(largest > 0)) return sums;
  const digits = DIGITS - 1 - Math.floor(Math.log10(largest));
  const short = (/** @type {number} */ each) =>
    (digits < 0 || digits > 20 ? Number(each.toPrecision(DIGITS)) : Number(each.toFixed(digits)));
  return sums.map((each, at) => (Math.abs(change[at]) < 0.5 * 10 ** -digits ? vector[at] : short(each)));
}

// Keep a point in the picture.
/** @param {Point} point @param {Rect} box @returns {Point} */
export function within([x, y], box) {
  return [Math.min(box.x + box.width, Math.max(box.x, x)), Math.min(box.y + box.height, Math.max(box.y, y))];
}

// The two axes on which rows of a matrix are drawn: their own if there are at most two, else those along which the rows
// differ most, the first two principal axes.

// how often products are squared: axes whose strengths differ by a thousandth differ by a factor of 60 then
const TURNS = 12;
const NOTHING = 1e-15;

/** @param {number[][]} rows @param {Axes | null} before axes whose signs are kept @returns {Axes} */
export function axesOf(rows, before = null) {
  const size = rows[0].length;
  if (size <= 2)
    return { centre: rows[0].map(() => 0), axes: [[1, 0], [0, 1]].map((axis) => axis.slice(0, size)), share: 1 };
  const centre = rows[0].map((_, at) => rows.reduce((sum, row) => sum + row[at] / rows.length, 0));
  const largest = Math.max(...rows.flat().map(Math.abs)) || 1;
  const centred = rows.map((row) => row.map((each, at) => (each - centre[at]) / largest));
  const whole = centred.flat().reduce((sum, each) => sum + each * each, 0);
  const first = principal(centred);
  const rest = centred.map((row) => without(row, first));
  const axes = [first, principal(rest)];
  const held = [centred, rest].reduce((sum, each, at) =>
    sum + each.reduce((squares, row) => squares + dot(row, axes[at]) ** 2, 0), 0);
  return { centre, axes: axes.map((axis, at) => turned(axis, before?.axes[at])),
    share: whole > NOTHING ? held / whole : null };
}

// The point at which a row is drawn.
/** @param {Axes} axes @param {number[]} row @returns {Point} */
export function drawnAt({ centre, axes }, row) {
  const along = (/** @type {number[] | undefined} */ axis) =>
    (axis ? axis.reduce((sum, each, at) => sum + each * (row[at] - centre[at]), 0) : 0);
  return [along(axes[0]), along(axes[1])];
}

// Choose one of an axis's two directions: that of the axis before, else the one in which its largest number is
// positive.
/** @param {number[]} axis @param {number[] | undefined} before */
function turned(axis, before) {
  const known = before?.length === axis.length ? dot(before, axis) : 0;
  const largest = axis.reduce((most, each) => (Math.abs(each) > Math.abs(most) + 1e-9 ? each : most), 0);
  return (known || largest) < 0 ? axis.map((each) => -each) : axis;
}

/** @param {number[]} one @param {number[]} other */
function dot(one, other) {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += one[at] * other[at]; // faster than a callback for each number
  return sum;
}

// What remains of a row without its part along an axis.
/** @param {number[]} row @param {number[]} axis */
function without(row, axis) {
  const along = dot(row, axis);
  return row.map((each, at) => each - along * axis[at]);
}

// The direction of length 1 along which rows differ most; a vector of zeros if they don't differ. The matrix of their
// dot products is squared again and again (power iteration), until only its largest component is left.
function principal(/** @type {number[][]} */ rows) {
  let products = rows.map((one) => rows.map((other) => dot(one, other)));
  const largest = () => products.reduce((most, row, at) => (row[at] > products[most][most] ? at : most), 0);
  if (!(products[largest()][largest()] > NOTHING)) return rows[0].map(() => 0);
  for (let turn = 0; turn < TURNS; turn += 1) {
    const scale = products[largest()][largest()];
    const before = products.map((row) => row.map((each) => each / scale));
    products = before.map((row) => before.map((other) => dot(row, other)));
  }
  const shares = products[largest()];
  const mixed = rows[0].map((_, at) => shares.reduce((sum, share, row) => sum + share * rows[row][at], 0));
  return mixed.map((each) => each / lengthOf(mixed));
}
