// What stands where on the board, before anything is measured: the spine, with a row for each token, and over it the
// right factors of its products.

import { isOfOthers, isWhatIsRead } from "../cells/cell.js";
import { CONSTANTS } from "../../scripts/sent.js";

/**
 * The columns of the spine, from left to right, of the stages that are placed. Over a product stands its right factor:
 * a given one with its bias under it; over scaled scores that stand beside scores, their mask; K on its side, with what
 * it is made by over it; V with what it is made by at its left.
 * Where tokens are `many`, V stands in the spine, before what it is a factor of: over it, it would be as high as the
 * spine.
 * What is read stands first, or, where nothing stands `beside` anything, where it's made.
 * @param {Stage[]} stages @param {string[]} placed @param {boolean} many @returns {Column[]}
 */
export function planOf(stages, placed, many, beside = true) {
  const all = new Map(stages.map((stage) => [stage.name, stage]));
  const table = new Map(stages.filter(({ name }) => placed.includes(name)).map((stage) => [stage.name, stage]));
  const get = (/** @type {string | undefined} */ name) => (name === undefined ? null : (table.get(name) ?? null));
  const taken = new Set();
  /** @type {Column[]} */
  const columns = [];
  // From the end on: a factor is known by what it is a factor of.
  for (const stage of [...table.values()].toReversed()) {
    if (taken.has(stage.name)) continue;
    // Scaled scores that stand in the place of scores have over them what these are made of.
    const made = stage.is.divides && !table.has(stage.sources[0]) ? (all.get(stage.sources[0]) ?? stage) : stage;
    // between two squares a third would be too much
    const masked = stage.is.divides && made === stage && all.get(stage.sources[1])?.rule === "given";
    const [over, below] = made.is.beside ?? [null, null];
    const right = get(made.sources[masked ? 1 : over ?? -1]);
    const upright = many && right?.rows !== "feature" && made.settings.transposed !== true;
    const factor = upright ? null : right;
    const computed = factor?.is.product;
    const column = {
      stage, made, factor,
      turned: made.is.product === true && made.settings.transposed === true,
      bias: get(made.sources[below ?? -1]),
      weight: factor && computed ? get(factor.sources[1]) : null,
      weightBias: factor && computed ? get(factor.sources[2]) : null,
    };
    for (const each of [column.factor, column.bias, column.weight, column.weightBias]) if (each) taken.add(each.name);
    columns.unshift(column);
  }
  const ordered = maskBehind(beside ? readFirst(columns) : columns);
  return many ? factorsBefore(ordered) : ordered;
}

// What is read stands before those that read, with names of its own.
function readFirst(/** @type {Column[]} */ columns) {
  return columns.toSorted((one, other) => Number(isWhatIsRead(other.stage)) - Number(isWhatIsRead(one.stage)));
}

// A mask keeps its place while scaled scores stand in the place of scores.
function maskBehind(/** @type {Column[]} */ columns) {
  const at = columns.findIndex(({ stage, made }, i) => stage.is.divides && made !== stage
    && stage.sources[1] === columns[i - 1]?.stage.name);
  return at < 1 ? columns : [...columns.slice(0, at - 1), columns[at], columns[at - 1], ...columns.slice(at + 1)];
}

// Whether a matrix is the right factor of a column.
/** @param {Column[]} columns @param {Stage} stage */
export function isFactorIn(columns, { name }) {
  return columns.some(({ stage }) => stage.is.product && stage.sources[1] === name);
}

// What is the right factor of a column further on stands right before it.
function factorsBefore(/** @type {Column[]} */ columns) {
  return columns.flatMap((column) => {
    if (isFactorIn(columns, column.stage)) return [];
    const own = columns.filter(({ stage }) => isFactorIn(columns, stage) && stage.name === column.stage.sources[1]);
    return [...own, column];
  });
}

// What has more rows or columns than the matrices of a playground ever have is a strip: so wide, but no cell wider than
// a pixel, or so high.

export const STRIP = { from: 128, widths: [384, 192, 126], height: 96 };
export const THIN = STRIP.widths[STRIP.widths.length - 1];

// Whether a matrix has too many rows or columns for cells that a hand finds.
export function isStrip(/** @type {{ rows: number, columns: number }} */ { rows, columns }) {
  return Math.max(rows, columns) > STRIP.from;
}

// What one word's story tells, from its input to its context and on: a part for each matrix of the spine, in the order
// of the computation, before anything is measured.

/**
 * Of most matrices it needs the picked word's row alone; of one that a product reads whole, such as K, every word's.
 * What is learned stands with the matrix that is made by it, and scores with the scaled ones.
 * @param {Stage[]} stages @param {string[]} placed @returns {Part[]}
 */
export function partsOf(stages, placed) {
  const columns = planOf(stages, placed, false, false);
  const scaled = columns.find(({ stage }) => stage.is.divides);
  const raw = columns.find(({ stage }) => stage.name === scaled?.stage.sources[0]);
  return withoutTwice(columns.flatMap((column) => {
    const { factor, weight, weightBias } = column;
    const own = column === raw ? [] : [{ ...partOf(column), raw: (column === scaled && raw?.stage) || null }];
    if (!factor || factor.rows === "feature") return own;
    const kind = factor.columns === "key" ? "pairs" : "all"; // of a mask, the picked word's row
    return [{ kind, stage: factor, weight, bias: weightBias, raw: null, mixes: false }, ...own];
  }));
}

// What is learned stands with the first part that is made by it.
/** @param {Part[]} parts @returns {Part[]} */
function withoutTwice(parts) {
  const isFirst = (/** @type {Part} */ { weight }, /** @type {number} */ at) => !parts.slice(0, at)
    .some((part) => part.weight === weight);
  return parts.map((part, at) => (isFirst(part, at) ? part : { ...part, weight: null, bias: null }));
}

/** @param {Column} column @returns {Omit<Part, "raw">} */
function partOf({ stage, factor, turned, bias }) {
  const vectors = isOfOthers(stage) ? "all" : "row"; // none of these is the picked word's
  const kind = stage.columns !== "key" ? vectors : stage.is.shares?.powers ? "shares" : "pairs";
  const learned = factor?.rows === "feature";
  return { kind, stage, weight: learned ? factor : null, bias: learned ? bias : null,
    mixes: Boolean(factor) && !learned && !turned };
}

// Whether a part is made of nothing but the one before it, so that both may stand in one line.
/** @param {Part | undefined} before @param {Part} part */
export function follows(before, part) {
  return before?.kind === "row" && part.kind === "row" && !before.mixes && part.stage.sources[0] === before.stage.name
    && (part.weight !== null || part.stage.sources.length === 1);
}

// Where the name of each matrix stands, and how much room it has there: up to what stands beside it at the same height.

export const HEADED = 24; // a column as wide has its name over it
const TWO_LINES = 36; // names of features over narrower ones stand in two lines by turns
const LINE = 20;
const [LETTER, UNDER] = [6, 15]; // of a name, how wide; and how far a second line stands under the first
const APART = 6; // between a title and what comes next
const ABOVE = 19; // a matrix, where its title begins, or names of its columns

export const LEGEND = { width: 120, height: 46, above: 62 };
const LEAD = { all: 58, fewer: 32, below: 3, height: 14, aside: 4 };
const { MASK } = CONSTANTS;

// The scale of the weights' colours, over these.
/** @param {Layout} layout @param {Box} weights @returns {Rect} */
export function legendAt({ above, scale }, weights) {
  return { x: weights.x, y: Math.max(0, above - LEGEND.above * scale), width: LEGEND.width * scale,
    height: LEGEND.height * scale };
}

// The gap before the weights: from what stands right before them, scores, or the mask that is added to these.
/** @param {Layout} layout @param {Box} weights @returns {{ x: number, width: number } | null} */
export function gapBefore({ boxes }, weights) {
  const read = ["scores", MASK, "scaled_scores"].flatMap((name) => boxes[name] ?? []).toSorted((a, b) => b.x - a.x)[0];
  return read ? { x: read.x + read.width, width: weights.x - read.x - read.width } : null;
}

// The words under that gap, which lead to all stages, or back to fewer. Names stand at both sides of them: where the
// gap is narrow they reach to the left, away from where one begins.
/** @param {Layout} layout @param {Box} weights @param {boolean} all whether all are shown @returns {Rect | null} */
export function leadAt(layout, weights, all) {
  const { scale } = layout;
  const gap = gapBefore(layout, weights);
  if (!gap) return null;
  const width = (all ? LEAD.fewer : LEAD.all) * scale;
  const x = width > gap.width ? weights.x - width - LEAD.aside * scale : gap.x + (gap.width - width) / 2;
  return { x, y: weights.y + weights.height + LEAD.below * scale, width, height: LEAD.height * scale };
}

// Whether names of features stand in two lines; the title is then beside them, over the names of rows.
export function inTwoLines(/** @type {Box} */ { cell }, /** @type {number} */ scale) {
  return cell < TWO_LINES * scale;
}

/**
 * The titles of all that is placed: over it, or under it where there are names of columns or what it is made of over
 * it.
 * They end before the next matrix, its title, what leads to all stages, and the `end` of the board. `hasNames`
 * is whether features of a matrix have names, drawn over it where its columns are wide enough; `all` whether all stages
 * are shown, null where nothing leads to them.
 * @param {Layout} layout @param {Stage[]} stages @param {(stage: Stage) => boolean} hasNames @param {number} end
 * @param {boolean | null} all
 * @returns {Record<string, Rect>}
 */
export function titlesOf(layout, stages, hasNames, end, all = null) {
  const { boxes, columns, folded, labels, scale } = layout;
  const placed = stages.filter(({ name }) => boxes[name]);
  const isNamed = (/** @type {Stage} */ stage) => hasNames(stage) && boxes[stage.name].cell >= HEADED;
  const isAside = (/** @type {Stage} */ stage) => isNamed(stage) && inTwoLines(boxes[stage.name], scale);
  /** @type {(Rect & { of: string })[]} */
  const starts = placed.map((stage) => {
    const box = boxes[stage.name];
    const over = columns.some(({ factor }) => factor === stage);
    const headed = isNamed(stage) || (over && stage.columns === "key"); // by names of its columns
    const below = (stage.columns === "key" && !over)
      || columns.some((column) => column.stage === stage && column.factor?.is.product && !column.turned);
    const weight = columns.find((column) => column.factor === stage)?.weight;
    // of the line that leads there
    const beside = box.turned && weight ? Math.min(boxes[weight.name].width, box.width / 2) : 0;
    const aside = isAside(stage) ? labels : 0;
    const y = below ? box.y + box.height + 3 : box.y - (headed && !aside ? 2 : 1) * ABOVE * scale;
    return { of: stage.name, x: box.x + beside - aside, y, width: 1, height: LINE * scale };
  });
  const heads =
    placed.filter((stage) => isNamed(stage) || (stage.columns === "key" && boxes[stage.name].cell >= HEADED))
    .map((stage) => ({ ...boxes[stage.name], of: isAside(stage) ? "" : stage.name,
      y: boxes[stage.name].y - ABOVE * scale, height: LINE * scale }));
  const weights = placed.find(({ is }) => is.shares);
  const legend = weights ? [{ of: "", ...legendAt(layout, boxes[weights.name]) }] : [];
  const lead = weights && all !== null ? leadAt(layout, boxes[weights.name], all) : null;
  const around = [...(lead ? [{ of: "", ...lead }] : []), ...placed.map(({ name }) => ({ of: name, ...boxes[name] })),
    ...heads, ...starts, ...folded.map((of) => ({ of, ...boxes[of], height: boxes[of].height + LINE * scale }))];
  const within = (/** @type {Rect & { of: string }} */ { of, x, y, height }) => {
    const beside = [...around, ...legend.filter((each) => each.x > x)]
      .filter((each) => each.of !== of && each.x + each.width > x && each.y < y + height && each.y + each.height > y);
    return { x, y, width: Math.max(0, Math.min(end, ...beside.map((each) => each.x - APART * scale)) - x), height };
  };
  // What has no room beside its symbol stands under it, where nothing is over that.
  return Object.fromEntries(starts.map((start, at) => {
    const by = UNDER * scale;
    const [one, two] = [start, { ...start, y: start.y - by, height: start.height + by }].map(within);
    const { symbol = "", short = "", rows } = placed[at];
    const [beside, under] = [one, two].map(({ width }) => width / (LETTER * scale));
    const stands = rows === "feature" && beside < symbol.length + 2 + short.length && under > short.length;
    return [start.of, stands && two.y > 0 ? two : one];
  }));
}
