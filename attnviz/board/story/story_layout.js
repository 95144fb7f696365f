// Where everything of one word's story stands, on a screen too narrow for the spine. Positions come from how many words
// and features there are and from how many letters the words have, never from a number. Lengths are pixels of the page.

import { widthOf } from "../spine/words.js";
import { follows } from "../spine/plan.js";

export const NARROW = 700; // a board narrower than this tells one word's story
export const TARGET = 28; // what a finger finds
const OF_CELLS = TARGET + 1; // and the gap of one that a cell has
const CELL = { most: 64, readable: 38 };
const FEATURE = 52; // the cells of vectors, at most
const GUTTER = 36; // left of the words' columns
const UPRIGHT = { most: 64, letter: 7.5 }; // names over columns too narrow for them
const HEAD = 17;
const TITLE = 19;
const BARS = { most: 64, least: 40, low: 26 };
const PERCENT = 18; // under the bars
const GAP = { most: 9, least: 3 };
const DOCK = 108; // nothing picked in it
// by: of the letters over the spine. What is read has four lines.
const HEAD_OF = { whole: { height: 36, by: 0.85, between: 8, line: 6, says: 78 },
  low: { height: 30, by: 0.74, between: 6, line: 6, says: 66 } };
const TOOLS = { few: 206, layers: 84 }; // behind the words, with a list of layers
const SAID = 44; // high is what is read of others' words, which have no tools
const MIX = { letter: 6.9, line: 17, beside: 150, longest: 12, share: 9, lines: 4, low: 2 };
const SCALE = 96; // the button of what scores are divided by
const WAY = { letter: 7.6, around: 20, arrow: 26 };

/** @param {Part[]} parts @param {Shapes} shapes @param {StoryRoom} room @returns {StoryLayout} */
export function storyOf(parts, shapes, room) {
  const placed =
    (/** @type {Partial<StoryRoom>} */ unfolded, /** @type {number} */ bars, /** @type {number} */ gap, low = false) =>
    new Telling(shapes, { ...room, ...unfolded }, { bars, gap, low }).place(parts);
  // On a low screen gaps and then bars give way, and then, if that is enough, the size of letters; what is unfolded
  // takes nothing from what is there.
  const folded = { open: new Set(), others: [] };
  const missingIn = (/** @type {ReturnType<typeof headOf>} */ { says }, /** @type {number} */ height) =>
    says.y + says.height + height + DOCK - room.height;
  const head = headOf(room, HEAD_OF.whole);
  const whole = placed(folded, BARS.most, GAP.most);
  const lines = Object.values(whole.spots).filter(({ joined }) => !joined).length;
  const missing = Math.max(0, missingIn(head, whole.height));
  const gap = Math.max(GAP.least, GAP.most - missing / lines);
  const wanted = BARS.most - Math.max(0, missing - (GAP.most - gap) * lines);
  const lowHead = headOf(room, HEAD_OF.low);
  const overLow = wanted < BARS.least ? missingIn(lowHead, placed(folded, BARS.most, gap, true).height) : Infinity;
  const low = overLow <= BARS.most - BARS.low; // where that is enough
  const bars = low ? Math.min(BARS.most, BARS.most - overLow) : Math.max(BARS.least, wanted);
  return { ...placed({}, Math.floor(bars), gap, low), low, width: room.width, ...(low ? lowHead : head) };
}

// The words, what is done with them, and what is read.
/** @param {StoryRoom} room @param {typeof HEAD_OF.whole} size */
function headOf({ labels, read, layers, width }, size) {
  const tool = layers && TOOLS.few + (layers > 1 ? TOOLS.layers : 0);
  const line = inLines([...[...labels, ...read].map((label) => widthOf(label, size.by)), tool], width, size);
  const tools = line[line.length - 1];
  return { chips: line.slice(0, labels.length), read: line.slice(labels.length, -1), tools,
    says: { x: 0, y: tools.y + tools.height + 8, width, height: layers ? size.says : SAID } };
}

// The words in lines, and behind them what is done with them.
/** @param {number[]} widths @param {number} width @param {typeof HEAD_OF.whole} size @returns {Rect[]} */
function inLines(widths, width, { height, between, line }) {
  let [x, y] = [0, 0];
  return widths.map((whole) => {
    const length = Math.min(width, whole);
    if (x > 0 && x + length > width) [x, y] = [0, y + height + line];
    const chip = { x, y, width: length, height };
    x += length + between;
    return chip;
  });
}

// How many lines a word's mix takes: letters for each word and its share.
/** @param {string[]} labels @param {number} width @param {boolean} low */
function mixLines(labels, width, low) {
  const letters = labels.reduce((sum, label) => sum + Math.min(MIX.longest, [...label].length) + MIX.share, 0);
  return Math.min(low ? MIX.low : MIX.lines, Math.ceil((letters * MIX.letter) / width));
}

// So many letters of a mix have room.
export function mixLetters(/** @type {Rect} */ { width, height }) {
  return Math.floor((width / MIX.letter) * Math.floor(height / MIX.line)) - MIX.share;
}

// How wide the button for what is learned is, or the arrow where nothing is.
function wayWidth(/** @type {Part} */ { weight, bias }) {
  if (!weight) return WAY.arrow;
  return (weight.symbol.length + 2 + (bias ? bias.symbol.length + 3 : 0)) * WAY.letter + WAY.around;
}

class Telling {
  /** @param {Shapes} shapes @param {StoryRoom} room @param {{ bars: number, gap: number, low: boolean }} by */
  constructor(shapes, room, { bars, gap, low }) {
    this.shapes = shapes;
    this.room = room;
    this.bars = bars;
    this.gap = gap;
    this.low = low; // whether the words stand over their columns once
    this.headed = false;
    this.upright =
      Math.min(UPRIGHT.most, Math.max(...room.keys.map((label) => [...label].length)) * UPRIGHT.letter + 6);
    // Where there are more words than fingers find columns for, what has a column for each is moved sideways.
    this.word = Math.max(OF_CELLS, Math.min(CELL.most, (room.width - GUTTER) / room.keys.length));
    this.words = GUTTER + room.keys.length * this.word;
  }

  place(/** @type {Part[]} */ parts) {
    /** @type {Record<string, Spot>} */
    const spots = {};
    let y = 0;
    for (let at = 0; at < parts.length; at += 1) {
      const [part, next] = [parts[at], parts[at + 1]];
      const joins = next && follows(part, next) && this.fitBeside(part, next);
      y = joins ? this.pair(part, next, y, spots) : this.part(part, y, spots);
      if (joins) at += 1;
      y += this.gap;
    }
    return { height: y, spots, words: this.words > this.room.width ? this.words : 0 };
  }

  /** @param {Part} part @param {Part} next */
  fitBeside(part, next) {
    const cells = this.columnsOf(part) + this.columnsOf(next);
    return cells * CELL.readable + wayWidth(next) <= this.room.width;
  }

  columnsOf(/** @type {Part} */ { stage }) {
    return this.shapes[stage.name].columns;
  }

  // Two rows in one line, what leads from one to the other between them; what is unfolded stands under them.
  /** @param {Part} part @param {Part} next @param {number} top @param {Record<string, Spot>} spots */
  pair(part, next, top, spots) {
    const way = wayWidth(next);
    const columns = this.columnsOf(part) + this.columnsOf(next);
    const cell = Math.min(FEATURE, (this.room.width - way) / columns);
    const title = this.title(part, top);
    const [y, x] = [top + title.height, this.columnsOf(part) * cell + way];
    const first = this.spot(title, this.cells(0, y, 1, this.columnsOf(part), cell));
    first.way = this.button(part, title);
    const second = this.spot(first.title, this.cells(x, y, 1, this.columnsOf(next), cell), true);
    second.way = { x: x - way, y, width: way, height: TARGET };
    spots[part.stage.name] = first;
    spots[next.stage.name] = second;
    const under = Math.max(this.under(part, first, y + OF_CELLS), this.under(next, second, y + OF_CELLS));
    return this.unfold(next, second, this.unfold(part, first, under, 0), x);
  }

  /** @param {Part} part @param {number} top @returns {Rect} */
  title(part, top) {
    return { x: 0, y: top, width: this.room.width, height: part.weight ?? part.raw ? TARGET : TITLE };
  }

  // The button at the end of a title.
  /** @param {Part} part @param {Rect} title @returns {Rect | null} */
  button(part, title) {
    if (!(part.weight ?? part.raw)) return null;
    const width = part.weight ? wayWidth(part) : SCALE;
    title.width -= width;
    return { x: this.room.width - width, y: title.y, width, height: TARGET };
  }

  /** @param {Part} part @param {number} top @param {Record<string, Spot>} spots */
  part(part, top, spots) {
    const title = this.title(part, top);
    const spot = this.spot(title, this.cellsOf(part, top + title.height));
    spots[part.stage.name] = spot;
    spot.way = this.button(part, title);
    if (part.kind === "all" && !(this.low && this.headed)) {
      // of a kept sentence, it has the first words alone
      this.headed = this.shapes[part.stage.name].rows === this.room.keys.length;
      spot.heads = { x: spot.cells.x, y: spot.cells.y, width: spot.cells.width,
        height: spot.cells.readable ? HEAD : this.upright };
      spot.cells.y += spot.heads.height;
    }
    if (part.kind === "shares") spot.bars = { ...spot.cells, height: this.bars };
    let end = spot.cells.y + spot.cells.height;
    if (part.mixes && part.kind === "row") end = this.mix(spot, end);
    return this.unfold(part, spot, this.under(part, spot, end), part.kind === "all" ? GUTTER : 0);
  }

  /** @param {Part} part @param {number} y @returns {Cells} */
  cellsOf(part, y) {
    const { rows, columns } = this.shapes[part.stage.name];
    if (part.kind === "all") return this.cells(GUTTER, y, columns, rows, this.word);
    if (part.kind === "pairs") return this.cells(GUTTER, y, 1, columns, this.word);
    if (part.kind === "shares") return this.cells(GUTTER, y, 1, columns, this.word, this.bars + PERCENT);
    return this.cells(0, y, 1, columns, this.feature(0, columns));
  }

  // What a word's context is mixed of, beside it where there is room, else below.
  /** @param {Spot} spot @param {number} end */
  mix(spot, end) {
    const { width, keys } = this.room;
    const x = spot.cells.x + spot.cells.width + 10;
    const beside = width - x >= MIX.beside;
    const area = beside ? { x, y: spot.cells.y, width: width - x } : { x: 0, y: end + 3, width };
    const height = Math.max(beside ? TARGET : 0, mixLines(keys, area.width, this.low) * MIX.line);
    spot.mix = { ...area, height };
    return Math.max(end, area.y + height);
  }

  // Another word's row that a part shows under its own.
  /** @param {Part} part @param {Spot} spot @param {number} end */
  under(part, spot, end) {
    const others = this.room.others.filter(({ matrix, part: own }) => matrix === own && matrix === part.stage.name);
    for (const { matrix, row } of others) end = this.other(spot, matrix, row, { ...spot.cells, y: end });
    return end;
  }

  /** @param {Spot} spot @param {string} matrix @param {number} row @param {Cells} cells */
  other(spot, matrix, row, cells) {
    const name = { x: cells.x, y: cells.y, width: this.room.width - cells.x, height: HEAD };
    spot.others.push({ matrix, row, name, cells: { ...cells, y: cells.y + HEAD } });
    return cells.y + HEAD + cells.height;
  }

  // What a part is made by: of another word the row that is read, then what is learned, or the scores that are scaled.
  /** @param {Part} part @param {Spot} spot @param {number} y @param {number} left */
  unfold({ stage, weight, bias, raw }, spot, y, left) {
    if (!(weight ?? raw) || !this.room.open.has(stage.name)) return y;
    const top = y + 2;
    let end = top + 3;
    if (raw) {
      spot.raw = { ...spot.cells, y: end };
      end += spot.raw.height;
    }
    for (const { matrix, row, part } of this.room.others) {
      if (part !== stage.name || matrix === part) continue;
      const { columns } = this.shapes[matrix];
      const cells = matrix === raw?.name ? spot.cells : this.cells(left, end, 1, columns, this.feature(left, columns));
      end = this.other(spot, matrix, row, { ...cells, y: end }) + 3;
    }
    if (weight) {
      const { rows, columns } = this.shapes[weight.name];
      spot.weight = this.cells(left, end, rows, columns, this.feature(left, columns));
      end += spot.weight.height;
    }
    if (weight && bias) {
      const { columns } = this.shapes[bias.name];
      spot.bias = this.cells(left, end + 4, 1, columns, this.feature(left, columns));
      end += 4 + OF_CELLS;
    }
    spot.unfolded = { x: 0, y: top, width: this.room.width, height: end + 3 - top };
    return end + 3;
  }

  // How wide a cell of a vector is that begins so far to the right.
  /** @param {number} left @param {number} columns */
  feature(left, columns) {
    return Math.min(FEATURE, (this.room.width - left) / columns);
  }

  /** @param {Rect} title @param {Cells} cells @returns {Spot} */
  spot(title, cells, joined = false) {
    /** @type {OtherRow[]} */
    const others = [];
    return { joined, title, way: null, cells, heads: null, bars: null, mix: null, others, weight: null, bias: null,
      raw: null, unfolded: null };
  }

  /** @param {number} x @param {number} y @param {number} rows @param {number} columns @param {number} cell
   *  @returns {Cells} */
  cells(x, y, rows, columns, cell, row = OF_CELLS) {
    return { x, y, cell, row, width: columns * cell, height: rows * row, readable: cell >= CELL.readable };
  }
}
