// The layout of the board. Positions depend on how many rows and columns there are, never on numbers or on measured
// text, so that nothing moves when a number gets longer. Lengths are pixels of the page.

import { isNamedBefore, isWhatIsRead } from "../cells/cell.js";
import { LEGEND, planOf, STRIP, THIN } from "./plan.js";
import { emsOf } from "./words.js";
import { CONSTANTS } from "../../scripts/sent.js";

const CELL = { width: 48, height: 28, few: 30 }; // the largest cells; `few`: height of rows with up to FEW tokens
const ALL = { height: 200 }; // with many tokens, all rows share this height, and all columns six cells' width
const LEAST = 3; // the smallest cell, both ways
// On a narrow screen cells of scores shrink to NARROW; below SCREEN, cells of vectors shrink to NARROWEST.
const [NARROW, NARROWEST, SCREEN] = [24, 18, 1000];
// Widths of cells, with gaps as a share of GAP, which are tried in this order until the board fits.
const WAYS = [[42, 0.72], [42, 0.43], [38, 0.36], [32, 0.36], [28, 0.29], [26, 0.14], [24, 0.29], [24, 0.14]];
const OF_FEW = [46, 0.58]; // tried before them if there are only a few tokens, as in questions
const FEW = 4;
const ALONE = { most: 110, larger: 1.6 }; // cells of a single matrix: greatest width, and how much it is enlarged then
export const READABLE = { width: 38, height: 18 }; // cells of this size hold a number in full-size digits
export const LEGIBLE = 24; // cells of this width hold a number in the smallest digits, as many as fit
export const ON_ITS_SIDE = 12; // columns of this width have names, in two lines if need be
const MOST_LABELS = 96; // width of rows' names, at most
const NAMED_FEATURE = 46; // width of a column with a feature's name above it
const LABELS = 68; // width of rows' names, at least
const GAP = { column: 58, operation: 96, stack: 8, bias: 4 };
const OPERATION = 46; // the least gap before the weights, for the names of operations in it
const BESIDE = 36; // gap between V and W_v
const APART = 16; // gap between the colour scale and its neighbour
const SCALE = 64; // height of the colour scale
const TITLE = 22;
const ROOF = 8; // room above everything, for the line to V
const HEADS = 34; // room above the spine, for titles and names of columns
const FEET = 30; // room below the spine, for titles
export const RIBBONS = { whole: 78, low: 56, lowest: 27, hall: 27, none: 0 }; // heights of the ribbons
const SENTENCE = { chips: 40, shares: 34, says: 54, saysMiddle: 72, saysNarrow: 92, tools: 44 };
// The compact sentence, which leaves room to matrices while presenting; `letters` scales its font.
export const PRESENTED = { chips: 24, shares: 2, counted: 16, letters: 0.65, says: 27 };
// On narrower pages, the summary of what is read needs more lines, and the tools need a place above the ribbons.
const NARROW_PAGE = 500;
const MIDDLE_PAGE = 1100; // on narrower pages, the summary needs one line more
const DOCK = 72; // height that is kept free for the dock
const PLANE = 420; // greatest width of the plane over the matrices
const SIX = 6; // rows: the least room above the spine, with few tokens
const ALMOST = 0.9; // share of a readable height from which rows of factors are made readable
const LOWER = 0.55; // factor for the height of rows without numbers, at least, on a low screen
const BAND = 8; // how far the picked row's band extends beyond the last column
const FOLDED = { width: 26, gap: 8 };
const LEAST_OPEN = 26; // matrices are folded rather than given narrower cells
const LARGER = 1.1; // a smaller enlargement isn't worth it
const LARGEST = 6; // the greatest enlargement, for projectors

/**
 * The places of the matrices named in `placed`, and of everything around them, in the room that is given.
 * @param {Stage[]} stages @param {Shapes} shapes @param {string[]} placed @param {Room} given @returns {Layout}
 */
export function layoutOf(stages, shapes, placed, given) {
  const { by = 1, tokens } = given;
  // A board that is scaled down has more room in its own pixels.
  const room = by === 1 ? given : { ...given, width: given.width / by, height: given.height / by };
  if (!placed.length && room.sentence) return wordsAlone(room);
  const told = room.tells;
  const alone = told || (room.hall && placed.length === 1); // in a lesson, or with a single matrix
  const [wide, gaps] = alone ? [aloneIn(room, shapes, placed), WAYS[0][1]] : [CELL.width, 1];
  const share = ALL.height / tokens;
  const usual = { wide, cell: Math.max(LEAST, Math.min(wide, (6 * wide) / tokens)),
    row: Math.max(LEAST, Math.min(tokens > FEW ? CELL.height : CELL.few, share > READABLE.height || room.lean
      ? Math.max(share, READABLE.height + 1) : share)), gaps, strip: THIN };
  const sentence = sentenceOf(room);
  const head = room.sentence ? sentence.height : 0;
  const heightOf = (/** @type {Measure} */ { above, rows }) => head + above + HEADS + rows + FEET;
  // Rows and cells get numbers before the whole board is enlarged.
  const legible = { ...usual, cell: Math.max(usual.cell, LEGIBLE), row: Math.max(usual.row, READABLE.height + 1) };
  const measured = (/** @type {boolean} */ spined, cells = legible) =>
    new Measure(planOf(stages, placed, spined), shapes, tokens, room, cells);
  const isLow = (/** @type {Measure} */ each) => heightOf(each) <= room.height - DOCK;
  const many = room.lean || room.spined || tokens > CONSTANTS.FITS;
  // If V above the spine would leave no height for numbers, V moves into the spine, provided that the width allows it.
  const gives = Boolean(room.folds) && !room.hall && tokens > SIX; // while presenting, hall.js decides this
  const beside = gives && !many && !isLow(measured(false))
    && measured(true, { ...legible, wide: LEAST_OPEN, cell: LEGIBLE, gaps: WAYS[5][1] }).width <= room.width;
  const plan = planOf(stages, placed, many || beside);
  const large = measured(many || beside);
  const roomy = usual.row <= READABLE.height && tokens <= CONSTANTS.FITS && large.width <= room.width - told
    && isLow(large);
  const whole = roomy ? legible : usual;
  const most = roomy ? large : new Measure(plan, shapes, tokens, room, usual);
  const higher = roomy ? room.height / (heightOf(most) + DOCK) : (room.height - DOCK) / heightOf(most);
  const largest = Math.max(1, Math.min(LARGEST, (room.width - told - BAND) / most.width, higher));
  const larger = largest < LARGER ? 1 : largest;
  const scale = by * larger;
  const [width, height] = [(room.width - told) / larger, (room.height - DOCK * Math.min(1.5, larger)) / larger];
  // On a low screen rows get lower, as long as they hold their numbers; on a narrow one columns and gaps get narrower.
  const missing = Math.max(0, heightOf(most) - height);
  const readable = READABLE.height + (room.lean ? 0 : 1);
  const numbered = whole.row > READABLE.height // every row shows its numbers
    && (!gives || isLow(measured(many || beside, { ...legible, row: READABLE.height + 1 })));
  const least = numbered ? readable : Math.max(LEAST, LOWER * whole.row);
  const lower = missing ? Math.max(least, whole.row - missing / (most.rowsAbove + tokens)) : whole.row;
  const still = missing ? heightOf(new Measure(plan, shapes, tokens, room, { ...whole, row: lower })) - height : 0;
  // Strips don't get lower with the rows, so the rows get lower by as much more.
  const row = Math.max(least, lower - Math.max(0, still) / tokens);
  const may = room.folds ? foldableOf(plan) : [];
  const few = tokens > FEW || told ? [] : [OF_FEW];
  const ways = [[wide, gaps], ...few, ...WAYS.filter(([own, between]) => own < wide || between < gaps),
    ...(room.width < SCREEN ? [] : [[NARROWEST, 0.14]])];
  const strips = placed.some((name) => shapes[name].columns > STRIP.from) ? STRIP.widths : [THIN];
  // Narrower strips are tried before narrower cells.
  const triesWith = (/** @type {string[]} */ folded, cells = LEAST) =>
    strips.flatMap((strip) => ways.slice(0, strip === THIN ? ways.length : few.length + 2)
    .map(([own, between]) => new Measure(plan, shapes, tokens, room, { wide: own, cell: Math.max(cells, Math.min(
      Math.max(NARROW, own), whole.cell, Math.max(roomy ? LEGIBLE : 0, (6 * Math.max(own, WAYS[0][0])) / tokens),
    )), row, gaps: between, strip, folded })));
  // If readable cells don't fit, matrices are folded, those farthest from attention first. First all foldings and gaps
  // are tried with cells wide enough for numbers, so that at least the picked row shows its numbers; then with columns
  // wide enough for names; then with any.
  const chosen = may.filter((name) => room.folds?.[name]);
  const free = may.filter((name) => room.folds?.[name] === undefined);
  for (const cells of [LEGIBLE, ON_ITS_SIDE, LEAST]) for (const n of [...free.keys(), free.length]) {
    const fits = triesWith([...chosen, ...free.slice(0, n)], cells)
      .find((each) => each.width <= width && (each.wide >= LEAST_OPEN || n === free.length));
    if (fits) return new Placing(plan, shapes, fits).layout(scale, width, room, n || chosen.length ? may : []);
  }
  const narrowest = triesWith([...chosen, ...free]);
  const fits = narrowest[narrowest.length - ways.length + few.length + 1]; // it scrolls, so cells stay wide
  return new Placing(plan, shapes, fits).layout(scale, width, room, may);
}

// The width of the rows' names, which depends on the longest.
/** @param {string[]} names */
export function labelsOf(names) {
  const longest = Math.max(0, ...names.map(emsOf));
  return Math.max(LABELS, Math.min(MOST_LABELS, 8 + 12 * longest)); // 12 pixels: the smallest type
}

// The greatest width of cells on a board that has the room for itself: wider for a single matrix, to fill the screen.
/** @param {Room} room @param {Shapes} shapes @param {string[]} placed */
function aloneIn({ width, tells, labels = LABELS }, shapes, placed) {
  if (placed.length !== 1) return WAYS[0][0];
  const each = (width - tells - labels) / shapes[placed[0]].columns / ALONE.larger;
  return Math.max(WAYS[0][0], Math.min(ALONE.most, each));
}

// The height of the sentence: chips, the ribbons above, the shares below, and perhaps the summary of what is read.
function sentenceOf(/** @type {Room} */ { width, ribbons: arcs, hall, saysBelow, arcs: most }) {
  const { chips } = hall ? PRESENTED : SENTENCE;
  const shares = hall ? PRESENTED[arcs ? "counted" : "shares"] : SENTENCE.shares; // only ribbons come with percentages
  const says = saysOf(width, hall);
  const roof = arcs && most !== undefined && width < NARROW_PAGE ? SENTENCE.tools : 0;
  return { arcs, chips, shares, roof, height: roof + arcs + chips + shares + (saysBelow ? says : 0) };
}

// The height of the summary of what is read, below the sentence.
export function saysOf(/** @type {number} */ width, /** @type {boolean} */ hall) {
  if (hall) return PRESENTED.says;
  return width < NARROW_PAGE ? SENTENCE.saysNarrow : width < MIDDLE_PAGE ? SENTENCE.saysMiddle : SENTENCE.says;
}

const TOOLS = 28; // height of the tools above the ribbons

// The layout of a sentence without matrices, as large as possible; the text of the lesson's step stands below.
/** @param {Room} room @returns {Layout} */
function wordsAlone(room) {
  const { width, height, words } = room;
  const hall = !room.ribbons; // while presenting, a sentence without matrices has no ribbons
  const { arcs: ribbons, chips, shares, roof, height: said } = sentenceOf(room);
  const over = room.arcs === undefined ? 0 : Math.max(0, TOOLS - roof); // while presenting, there are no tools
  const [arcs, head] = [ribbons + roof + over, said + over];
  const dock = hall ? 0 : DOCK;
  const scale = Math.max(1, Math.min(LARGEST, width / words, (0.55 * (height - dock)) / head));
  const left = Math.max(hall ? 0 : ALL.height, height - dock * Math.min(1.5, scale) - head * scale);
  return {
    scale, boxes: {}, width: 1, height: left, labels: 0, above: 0, start: 0, end: left, row: 0,
    arcs: arcs * scale, roof: roof * scale, chips: chips * scale, shares: shares * scale, aside: { x: 0, y: 0, width: 0,
      height: 0 }, columns: [], folded: [], foldable: [],
  };
}

// The matrices that may be folded, those farthest from attention first; those of attention itself may not.
function foldableOf(/** @type {Column[]} */ plan) {
  const q = plan.find(({ stage }) => stage.role === "q");
  const own = plan.map(({ stage }, at) => (stage.role !== "x" && stage.name !== "contexts")
    || stage.name === q?.deciding.sources[0] ? at : -1).filter((at) => at >= 0);
  const far = (/** @type {number} */ at) => Math.max(own[0] - at, at - own[own.length - 1]);
  const columns = plan.map(({ stage }, at) => ({ name: stage.name, far: own.includes(at) ? -1 : far(at) }));
  return columns.filter(({ far: way }) => way >= 0).toSorted((one, other) => other.far - one.far)
    .map(({ name }) => name);
}

// The sizes of everything for given widths of cells in vectors (`wide`) and of cells of scores (`cell`), a height of
// rows, a greatest width of strips, and gaps as a share of GAP.
class Measure {
  /** @param {Column[]} plan @param {Shapes} shapes @param {number} tokens @param {Room} room
   *  @param {{ wide: number, cell: number, row: number, gaps: number, strip: number, folded?: string[] }} by */
  constructor(plan, shapes, tokens, room, { wide, cell, row, gaps, strip, folded = [] }) {
    this.folded = folded;
    this.shapes = shapes;
    this.strip = strip;
    this.room = room;
    this.wide = wide;
    this.cell = cell;
    this.row = row;
    this.gaps = gaps;
    this.rows = tokens * row;
    // Factors above the spine get as much height as all rows of the spine. If they need more, their rows get lower;
    // with many tokens they may show numbers although the spine's rows are too low for that.
    const most = tokens > CONSTANTS.FITS ? ALL.height : Math.max(tokens, SIX) * row;
    const fitting = (/** @type {boolean} */ behind) => {
      const own = plan.filter(({ factor }) => isBehind(factor) === behind).map((column) => this.factorsOver(column));
      const low = Math.min(Math.max(row, READABLE.height + 3),
        ...own.filter(({ rows }) => rows).map(({ rows, fixed }) => (most - fixed) / rows));
      // a few pixels more are worth it if they make numbers readable
      return Math.max(low >= ALMOST * READABLE.height ? READABLE.height : LEAST, low);
    };
    // W_o, which mixes all heads, has a row for each column of all heads: only its own rows should be low for that.
    this.factorRows = { attention: fitting(false), behind: fitting(true) };
    const over = Math.max(0, ...plan.map((column) => this.heightOver(column)));
    // The colour scale stands above the spine, too.
    const legend = plan.some(({ stage }) => stage.is.shares) && !room.lean ? SCALE : 0;
    this.above = Math.max(legend, over ? over + TITLE + (room.lean ? 0 : ROOF) : 0);
    this.rowsAbove = tokens > CONSTANTS.FITS ? 0 : over / row; // with many tokens that height is fixed
    this.labels = room.labels ?? LABELS;
    this.width = this.labels
      + plan.reduce((sum, column, at) => sum + this.widthOf(column) + this.gapBefore(column, plan[at - 1]), 0);
  }

  // The number of factors' rows above a column, or beside the factor above it, and the fixed height between them,
  // including strips.
  factorsOver(/** @type {Column} */ { stage, factor, turned, bias, weight, weightBias }) {
    if (!factor || this.folded.includes(stage.name)) return { rows: 0, fixed: 0 };
    if (turned) return this.rowsOf([this.shapes[factor.name].columns, weight], weight ? TITLE + GAP.stack : 0);
    if (factor.is.product) return this.rowsOf([weight, weightBias], weightBias ? GAP.bias : 0);
    if (factor.columns === "key") return { rows: 0, fixed: 0 }; // a mask's rows are as high as the spine's
    return this.rowsOf([factor, bias], bias ? GAP.bias : 0);
  }

  /** @param {(Stage | number | null)[]} stages matrices, or the number of rows of one @param {number} between */
  rowsOf(stages, between) {
    const counts = stages.map((each) => (typeof each === "number" ? each : each ? this.shapes[each.name].rows : 0));
    const strips = counts.filter((count) => count > STRIP.from);
    return { rows: counts.reduce((sum, count) => sum + (count > STRIP.from ? 0 : count), 0),
      fixed: between + strips.length * STRIP.height };
  }

  // The height of everything above a column, without the topmost title.
  heightOver(/** @type {Column} */ column) {
    const { rows, fixed } = this.factorsOver(column);
    const { factor, turned } = column;
    const heads = factor?.columns === "key" ? TITLE : 0; // names of a mask's columns, below its title
    const ofTokens = factor && !this.folded.includes(column.stage.name) && (factor.is.product || heads)
      && !turned ? this.shapes[factor.name].rows * this.row + heads : 0;
    return Math.max(ofTokens, rows * this.factorRow(factor) + fixed);
  }

  // The height of a factor's row; `rows` is how many the factor has.
  /** @param {Stage | null} factor */
  factorRow(factor, rows = 0) {
    if (rows > STRIP.from) return STRIP.height / rows;
    return isBehind(factor) ? this.factorRows.behind : this.factorRows.attention;
  }

  // The width of a vector's cell: all vectors take about the same room, whatever their length.
  vector(/** @type {number} */ features) {
    if (features > STRIP.from) return Math.min(1, this.strip / features);
    return Math.max(LEAST, (Math.min(3, Math.max(2, features)) * this.wide) / features);
  }

  cellWidth(/** @type {Stage} */ stage) {
    const { columns } = this.shapes[stage.name];
    if (this.folded.includes(stage.name)) return FOLDED.width / columns;
    if (stage.columns === "key") return this.cell;
    const named = stage.origin === "input" && this.room.named === columns && this.gaps >= 0.7;
    return named ? Math.max(this.vector(columns), Math.min(NAMED_FEATURE, this.vector(columns) + 4))
      : this.vector(columns);
  }

  widthOf(/** @type {Column} */ { stage, weightBias, turned }) {
    return this.shapes[stage.name].columns * this.cellWidth(stage) + (turned && weightBias ? this.cell + GAP.stack : 0);
  }

  // The gap before a column. Before the context there must be room for W_v, which stands above the weights, at the
  // right of the colour scale.
  /** @param {Column} column @param {Column | undefined} before */
  gapBefore({ stage, factor, turned, weight }, before) {
    if (!before) return 0;
    const folded = this.folded.includes(stage.name) && this.folded.includes(before.stage.name);
    // the tokens' names stand between a second sentence and the first
    if (isWhatIsRead(before.stage) && !isNamedBefore(stage, before.stage))
      return (folded ? FOLDED.gap : this.gaps * GAP.column) + this.labels;
    if (folded) return FOLDED.gap;
    const gap = stage.is.shares ? Math.max(OPERATION, this.gaps * GAP.operation)
      : this.gaps * GAP.column;
    const legend = LEGEND.width + APART - this.widthOf(before); // how far the colour scale extends beyond the weights
    if (!factor || turned) return gap;
    if (!weight) return before.stage.is.shares && !this.room.lean ? Math.max(gap, legend) : gap;
    const needed = this.gaps * BESIDE + this.shapes[weight.name].columns * this.cellWidth(weight);
    return Math.max(gap, before.factor ? gap + needed : needed + legend);
  }
}

// Whether a factor is a learned matrix that follows attention, such as W_o.
function isBehind(/** @type {Stage | null} */ factor) {
  return factor !== null && factor.role === "x" && factor.rows === "feature";
}

class Placing {
  /** @param {Column[]} plan @param {Shapes} shapes @param {Measure} sizes */
  constructor(plan, shapes, sizes) {
    this.plan = plan;
    this.shapes = shapes;
    this.sizes = sizes;
    this.bottom = sizes.above; // lower edge of the matrices above the spine
    this.start = this.bottom + HEADS; // upper edge of the spine
    /** @type {Record<string, Box>} */
    this.boxes = {};
  }

  /** @param {number} scale @param {number} width @param {Room} room @param {string[]} foldable @returns {Layout} */
  layout(scale, width, { arcs = Infinity }, foldable) {
    const { sizes } = this;
    const sentence = sentenceOf(sizes.room);
    let x = sizes.labels;
    this.plan.forEach((column, at) => {
      x += sizes.gapBefore(column, this.plan[at - 1]);
      this.placeColumn(column, x);
      x += sizes.widthOf(column);
    });
    const end = this.start + sizes.rows;
    const scales = this.plan.filter(({ stage }) => stage.is.shares)
      .map(({ stage }) => this.boxes[stage.name].x + LEGEND.width);
    const used = Math.max(x, ...scales, ...Object.values(this.boxes).map((box) => box.x + box.width));
    const boxes = Object.fromEntries(Object.entries(this.boxes).map(([name, box]) => [name, scaled(box, scale)]));
    const times = (/** @type {number} */ length) => length * scale;
    return {
      scale, boxes,
      width: times(used), height: times(end + FEET),
      labels: times(sizes.labels), above: times(this.bottom), start: times(this.start), end: times(end),
      row: times(sizes.row), arcs: Math.min(times(sentence.arcs), arcs) + times(sentence.roof),
      roof: times(sentence.roof), chips: times(sentence.chips), shares: times(sentence.shares),
      aside: { x: times(Math.max(0, width - PLANE)), y: 0, width: times(Math.min(width, PLANE)),
        height: times(end + 10) },
      columns: this.plan, folded: sizes.folded, foldable,
    };
  }

  /** @param {Column} column @param {number} x */
  placeColumn({ stage, factor, turned, bias, weight, weightBias }, x) {
    const { sizes } = this;
    this.place(stage, x, this.start, sizes.cellWidth(stage), sizes.row);
    if (sizes.folded.includes(stage.name)) return;
    if (!factor) return bias && this.upwards(bias, x, this.bottom);
    if (turned) {
      const top = this.upwards(factor, x, this.bottom, true);
      if (weight) this.upwards(weight, x, top - TITLE - GAP.stack);
      if (weightBias) this.turnedBias(weightBias, x + this.boxes[factor.name].width + GAP.stack);
    } else if (factor.is.product) {
      this.upwards(factor, x, this.bottom);
      const beside = x - sizes.gaps * BESIDE - this.widthOf(weight);
      const below = weightBias ? this.upwards(weightBias, beside, this.bottom) - GAP.bias : this.bottom;
      if (weight) this.upwards(weight, beside, below);
    } else {
      this.upwards(factor, x, bias ? this.upwards(bias, x, this.bottom) - GAP.bias : this.bottom);
    }
  }

  widthOf(/** @type {Stage | null} */ stage) {
    return stage ? this.shapes[stage.name].columns * this.sizes.cellWidth(stage) : 0;
  }

  // Place a matrix with its lower edge at `foot`; return its upper edge.
  /** @param {Stage} stage @param {number} x @param {number} foot */
  upwards(stage, x, foot, turned = false) {
    const { rows, columns } = this.shapes[stage.name];
    const count = turned ? columns : rows;
    const row = stage.rows === "feature" || turned ? this.sizes.factorRow(stage, count) : this.sizes.row;
    const height = count * row;
    this.place(stage, x, foot - height, turned ? this.sizes.cell : this.sizes.cellWidth(stage), row, turned);
    return foot - height;
  }

  // Place the bias of a transposed matrix, which is transposed, too.
  /** @param {Stage} stage @param {number} x */
  turnedBias(stage, x) {
    const { columns } = this.shapes[stage.name];
    const row = this.sizes.factorRow(stage, columns);
    const height = columns * row;
    this.place(stage, x, this.bottom - height, this.sizes.cell, row, true);
  }

  /** @param {Stage} stage @param {number} x @param {number} y @param {number} cell @param {number} row */
  place({ name }, x, y, cell, row, turned = false) {
    const { rows, columns } = this.shapes[name];
    const [down, across] = turned ? [columns, rows] : [rows, columns];
    this.boxes[name] = { x, y, cell, row, width: across * cell, height: down * row, turned,
      readable: cell >= LEGIBLE && row >= READABLE.height };
  }
}

/** @param {Box} box @param {number} by @returns {Box} */
function scaled(box, by) {
  const { x, y, cell, row, width, height } = box;
  return { ...box, x: x * by, y: y * by, cell: cell * by, row: row * by, width: width * by, height: height * by };
}
