// The board's order, before anything is measured: the spine, which is a line of matrices with a row for each token, and
// above it the right factors of its products.

import { isOfOthers, isWhatIsRead } from "../cells/cell.js";
import { CONSTANTS } from "../../scripts/sent.js";

/**
 * The columns of the spine, from left to right, for the stages that are placed. Above a product stands its right
 * factor: a given factor with its bias below; K transposed, with W_k above it; V with W_v at its left. Above scaled
 * scores that stand beside the scores is their mask. With `many` tokens, V stands in the spine, before its product,
 * because above it V would be as high as the spine. The inputs of a second sentence stand first; with `beside` false,
 * as in a story, in the order of computation.
 * @param {Stage[]} stages @param {string[]} placed @param {boolean} many @returns {Column[]}
 */
export function planOf(stages, placed, many, beside = true) {
  const all = new Map(stages.map((stage) => [stage.name, stage]));
  const table = new Map(stages.filter(({ name }) => placed.includes(name)).map((stage) => [stage.name, stage]));
  const get = (/** @type {string | undefined} */ name) => (name === undefined ? null : (table.get(name) ?? null));
  const taken = new Set();
  /** @type {Column[]} */
  const columns = [];
  // Backwards, because only a product knows its factors.
  for (const stage of [...table.values()].toReversed()) {
    if (taken.has(stage.name)) continue;
    // Scaled scores in the place of the scores have the scores' factor above them.
    const deciding = stage.is.divides && !table.has(stage.sources[0]) ? (all.get(stage.sources[0]) ?? stage) : stage;
    // a mask stands above the scaled scores: a third square beside scores and scaled scores would take too much room
    const masked = stage.is.divides && deciding === stage && all.get(stage.sources[1])?.rule === "given";
    const [over, below] = deciding.is.beside ?? [null, null];
    const right = get(deciding.sources[masked ? 1 : over ?? -1]);
    const upright = many && right?.rows !== "feature" && deciding.settings.transposed !== true;
    const factor = upright ? null : right;
    const computed = factor?.is.product;
    const column = {
      stage, deciding, factor,
      turned: deciding.is.product === true && deciding.settings.transposed === true,
      bias: get(deciding.sources[below ?? -1]),
      weight: factor && computed ? get(factor.sources[1]) : null,
      weightBias: factor && computed ? get(factor.sources[2]) : null,
    };
    for (const each of [column.factor, column.bias, column.weight, column.weightBias]) if (each) taken.add(each.name);
    columns.unshift(column);
  }
  const ordered = maskBehind(beside ? readFirst(columns) : columns);
  return many ? factorsBefore(ordered) : ordered;
}

// Move the inputs of a second sentence, which have names of their own, before those of the queries.
function readFirst(/** @type {Column[]} */ columns) {
  return columns.toSorted((one, other) => Number(isWhatIsRead(other.stage)) - Number(isWhatIsRead(one.stage)));
}

// While scaled scores stand in the place of the scores, the mask keeps its place behind them.
function maskBehind(/** @type {Column[]} */ columns) {
  const at = columns.findIndex(({ stage, deciding }, i) => stage.is.divides && deciding !== stage
    && stage.sources[1] === columns[i - 1]?.stage.name);
  return at < 1 ? columns : [...columns.slice(0, at - 1), columns[at], columns[at - 1], ...columns.slice(at + 1)];
}

// Whether a matrix is the right factor of a column.
/** @param {Column[]} columns @param {Stage} stage */
export function isFactorIn(columns, { name }) {
  return columns.some(({ stage }) => stage.is.product && stage.sources[1] === name);
}

// Move each matrix that is the right factor of a later column directly before that column.
function factorsBefore(/** @type {Column[]} */ columns) {
  return columns.flatMap((column) => {
    if (isFactorIn(columns, column.stage)) return [];
    const own = columns.filter(({ stage }) => isFactorIn(columns, stage) && stage.name === column.stage.sources[1]);
    return [...own, column];
  });
}

// Matrices of language models may have so many rows or columns that they are drawn as a strip: cells are at most a
// pixel wide, and the strip has one of these widths, or this height, in pixels.

export const STRIP = { from: 128, widths: [384, 192, 126], height: 96 };
export const THIN = STRIP.widths[STRIP.widths.length - 1];

// Whether a matrix has too many rows or columns for cells that a reader could point at.
export function isStrip(/** @type {{ rows: number, columns: number }} */ { rows, columns }) {
  return Math.max(rows, columns) > STRIP.from;
}

// ---- the parts of one token's story ----

/**
 * The parts of a story, in the order of the computation: one for each matrix of the spine. Most show only the picked
 * token's row; a matrix that a product reads whole, such as K, shows all rows. A learned matrix belongs to the part
 * that it makes, and the scores belong to the scaled scores.
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
    const kind = factor.columns === "key" ? "pairs" : "all"; // a mask has a number for each pair
    return [{ kind, stage: factor, weight, bias: weightBias, raw: null, mixes: false }, ...own];
  }));
}

// A learned matrix stays only with the first part that it makes.
/** @param {Part[]} parts @returns {Part[]} */
function withoutTwice(parts) {
  const isFirst = (/** @type {Part} */ { weight }, /** @type {number} */ at) => !parts.slice(0, at)
    .some((part) => part.weight === weight);
  return parts.map((part, at) => (isFirst(part, at) ? part : { ...part, weight: null, bias: null }));
}

/** @param {Column} column @returns {Omit<Part, "raw">} */
function partOf({ stage, factor, turned, bias }) {
  const vectors = isOfOthers(stage) ? "all" : "row"; // a second sentence has no row of the picked token
  const kind = stage.columns !== "key" ? vectors : stage.is.shares?.powers ? "shares" : "pairs";
  const learned = factor?.rows === "feature";
  return { kind, stage, weight: learned ? factor : null, bias: learned ? bias : null,
    mixes: Boolean(factor) && !learned && !turned };
}

// Whether a part is computed only from the one before it, so that both can share a line.
/** @param {Part | undefined} before @param {Part} part */
export function follows(before, part) {
  return before?.kind === "row" && part.kind === "row" && !before.mixes && part.stage.sources[0] === before.stage.name
    && (part.weight !== null || part.stage.sources.length === 1);
}

// ---- the place and room of each matrix's title ----

// Lengths in pixels.
export const HEADED = 24; // columns at least this wide have their names above them
const TWO_LINES = 36; // above narrower columns, names of features alternate between two lines
const LINE = 20;
const [LETTER, UNDER] = [6, 15]; // width of a letter, and distance of a second line from the first
const APART = 6; // gap between a title and its right neighbour
const ABOVE = 19; // from the top of a title, or of the columns' names, to the matrix below

export const LEGEND = { width: 120, height: 46, above: 62 };
const LEAD = { all: 58, fewer: 32, below: 3, height: 14, aside: 4 };
const { MASK } = CONSTANTS;

// The place of the colour scale, above the attention weights.
/** @param {Layout} layout @param {Box} weights @returns {Rect} */
export function legendAt({ above, scale }, weights) {
  return { x: weights.x, y: Math.max(0, above - LEGEND.above * scale), width: LEGEND.width * scale,
    height: LEGEND.height * scale };
}

// The gap before the attention weights: from their left neighbour, which holds scores, scaled scores or a mask.
/** @param {Layout} layout @param {Box} weights @returns {{ x: number, width: number } | null} */
export function gapBefore({ boxes }, weights) {
  const read = ["scores", MASK, "scaled_scores"].flatMap((name) => boxes[name] ?? []).toSorted((a, b) => b.x - a.x)[0];
  return read ? { x: read.x + read.width, width: weights.x - read.x - read.width } : null;
}

// The place of the button that shows all stages, or fewer again, below that gap. Titles stand on both sides of it: if
// the gap is too narrow, the button extends to the left, away from the title that begins at the weights.
/** @param {Layout} layout @param {Box} weights @param {boolean} all whether all are shown @returns {Rect | null} */
export function leadAt(layout, weights, all) {
  const { scale } = layout;
  const gap = gapBefore(layout, weights);
  if (!gap) return null;
  const width = (all ? LEAD.fewer : LEAD.all) * scale;
  const x = width > gap.width ? weights.x - width - LEAD.aside * scale : gap.x + (gap.width - width) / 2;
  return { x, y: weights.y + weights.height + LEAD.below * scale, width, height: LEAD.height * scale };
}

// Whether names of features alternate between two lines; the title then stands at their left, above the rows' names.
export function inTwoLines(/** @type {Box} */ { cell }, /** @type {number} */ scale) {
  return cell < TWO_LINES * scale;
}

/**
 * The titles' places: above each matrix, or below it if names of columns or a factor stand above. A title ends before
 * the next matrix, that one's title, the button for all stages, and the board's `end`. `hasNames` says whether a
 * matrix's features have names, which show if its columns are wide enough; `all` whether all stages are shown, null if
 * no button leads to them.
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
    const headed = isNamed(stage) || (over && stage.columns === "key"); // has names of columns above it
    const below = (stage.columns === "key" && !over)
      || columns.some((column) => column.stage === stage && column.factor?.is.product && !column.turned);
    const weight = columns.find((column) => column.factor === stage)?.weight;
    // room for the line from W_k down to K
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
  // A description without room beside its symbol gets a second line, if nothing stands above the title.
  return Object.fromEntries(starts.map((start, at) => {
    const by = UNDER * scale;
    const [one, two] = [start, { ...start, y: start.y - by, height: start.height + by }].map(within);
    const { symbol = "", short = "", rows } = placed[at];
    const [beside, under] = [one, two].map(({ width }) => width / (LETTER * scale));
    const stands = rows === "feature" && beside < symbol.length + 2 + short.length && under > short.length;
    return [start.of, stands && two.y > 0 ? two : one];
  }));
}
