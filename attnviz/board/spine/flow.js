// The lines from each matrix to those computed from it, some of which follow the picked row; and, while a cell is
// pointed at, the bands from the row and the column that meet in it.

import { isWhatIsRead } from "../cells/cell.js";
import { drawn, overlap, UNSEEN } from "../cells/elements.js";
import { isFactorIn } from "./plan.js";
import { inPath } from "./ribbons.js";

const BEND = 14; // pixels: radius of a line's corners

/** @param {string} className @param {string} d */
function path(className, d) {
  return drawn("path", className, { d });
}

// The pieces of a band, along an axis, that no area in `taken` covers.
/** @param {Rect} band @param {Rect[]} taken @param {"x" | "y"} axis @param {"width" | "height"} size
 *  @returns {Rect[]} */
function freeOf(band, taken, axis, size) {
  const end = band[axis] + band[size];
  const inWay = taken.filter((each) => overlap(each, band));
  const parts = [];
  let from = band[axis];
  for (const each of inWay.toSorted((one, other) => one[axis] - other[axis])) {
    if (each[axis] > from) parts.push({ ...band, [axis]: from, [size]: each[axis] - from });
    from = Math.max(from, each[axis] + each[size]);
  }
  return from < end ? [...parts, { ...band, [axis]: from, [size]: end - from }] : parts;
}

export class Flow {
  /** @param {Pick<Board, "data" | "frame" | "grids" | "layout" | "query" | "root" | "stages" | "titles">} board */
  constructor(board) {
    this.board = board;
    this.lines = drawn("svg", "flow", UNSEEN);
    this.bands = drawn("svg", "bands", UNSEEN);
  }

  // Draw all lines; those of the picked row are moved by `follow`.
  build() {
    const { layout, root } = this.board;
    const { boxes, columns, scale } = layout;
    const lines = [];
    const { ghosts } = this.board.data;
    // In the lesson, no line leads to a matrix that isn't reached yet.
    for (const { stage, deciding, factor, turned,
      weight } of columns.filter((column) => !ghosts?.includes(column.factor?.name ?? column.stage.name))) {
      const x = boxes[deciding.sources[0]];
      const own = boxes[stage.name];
      if (factor && turned && boxes[factor.name]) {
        const left = weight ? this.sourceOf(factor.name) : null;
        const over = weight ? boxes[weight.name] : boxes[factor.name];
        if (left) lines.push(this.rise(`lead role-${factor.role}`, left, over, -3 * scale));
        if (weight) lines.push(path(`lead role-${factor.role}`,
          inPath`M${over.x + over.width / 2} ${over.y + over.height} V${boxes[factor.name].y - 2}`));
      }
      if (factor && !turned && weight) {
        const left = this.sourceOf(factor.name);
        const over = boxes[weight.name];
        if (left) lines.push(this.over(`lead role-${factor.role}`, left, over));
        lines.push(path(`lead role-${factor.role}`,
          inPath`M${over.x + over.width + 3} ${over.y + over.height / 2} H${boxes[factor.name].x - 3}`));
      }
      // None leads to a second sentence's inputs: their names stand there, and none of their rows is the picked
      // token's.
      if (!x || !own || x.x >= own.x || isWhatIsRead(stage) || ghosts?.includes(stage.name)) continue;
      // V in the spine isn't computed from its left neighbours, the scores: its line passes above them, if there is
      // room.
      if (!isFactorIn(columns, stage) || root.classList.contains("lean")) lines.push(...this.along(x, own, stage.role));
      else if (factor && boxes[factor.name]) lines.push(this.over(`lead role-${stage.role}`, x, boxes[factor.name]));
    }
    this.lines.replaceChildren(...lines);
    this.follow();
  }

  // The box of a product's left factor, if it is on the board.
  /** @param {string} name @returns {Box | null} */
  sourceOf(name) {
    const { layout, stages } = this.board;
    return layout.boxes[stages.get(name).sources[0]] ?? null;
  }

  // The beginning of a path: from a matrix's upper right corner, where no name stands and no row is preferred, upwards.
  /** @param {Box} from @param {number} aside */
  start(from, aside) {
    const { scale, start } = this.board.layout;
    const [x, y] = [from.x + from.width + 3, start + scale];
    return inPath`M${x} ${y} h${4 * scale + aside} q${6 * scale} 0 ${6 * scale} ${-6 * scale}`;
  }

  // The part of a path that goes up to a height and turns right.
  turn(/** @type {number} */ height) {
    const bend = BEND * this.board.layout.scale;
    return inPath`V${height + bend} q0 ${-bend} ${bend} ${-bend}`;
  }

  // A line from the spine up to a matrix at the right.
  /** @param {string} className @param {Box} from @param {Box} to @param {number} aside */
  rise(className, from, to, aside) {
    const middle = to.y + to.height / 2;
    return path(className, inPath`${this.start(from, aside)} ${this.turn(middle)} H${to.x - 6}`);
  }

  // The same, above everything in between.
  /** @param {string} className @param {Box} from @param {Box} to */
  over(className, from, to) {
    const { scale } = this.board.layout;
    const roof = 2 * scale;
    const [end, middle] = [to.x - 6, to.y + to.height / 2];
    const bend = end - 100 * scale;
    const { x, width } = this.board.frame.words.at(-1) ?? { x: 0, width: 0 }; // words not to be crossed
    const near = Math.max(x + width + 3 * scale, end - 5 * scale);
    const bent = 8 * scale;
    const fall = x + width > end - 60 * scale && x < end
      ? inPath`H${near - bent} q${bent} 0 ${bent} ${bent} V${middle} H${end}`
      : inPath`H${bend - 40 * scale} C ${bend + 30 * scale} ${roof}, ${bend} ${middle}, ${end} ${middle}`;
    const right = from.x + from.width;
    const next = Math.min(...Object.values(this.board.layout.boxes).map(({ x: at }) => (at > right ? at : Infinity)));
    const aside = Math.min(3 * scale, next - right - 16 * scale); // so that it touches no number
    return path(className, `${this.start(from, aside)} ${this.turn(roof)} ${fall}`);
  }

  // A line between two matrices in the picked row, which moves with it.
  /** @param {Box} from @param {Box} to @param {string} role */
  along(from, to, role) {
    const { start, row, scale } = this.board.layout;
    const line = path(`along role-${role}`, inPath`M${from.x + from.width} ${start + row / 2} H${to.x}`);
    line.setAttribute("stroke-width", String(Math.min(8 * scale, row * 0.5)));
    return [line];
  }

  // Move these lines to the picked row.
  follow() {
    const { query, layout } = this.board;
    for (const line of this.alongs) line.style.transform = `translateY(${query * layout.row}px)`;
  }

  /** @returns {NodeListOf<SVGPathElement>} */
  get alongs() {
    return this.lines.querySelectorAll(".along");
  }

  // Draw the bands that meet in a cell: from the row of the left factor, and from the column of the right one.
  /** @param {Place | null} place @param {Place[][]} sources */
  meet(place, sources) {
    const { boxes } = this.board.layout;
    const own = place && boxes[place.matrix];
    const bands = own ? sources.flatMap((block) => this.band(place, own, block)) : [];
    this.bands.replaceChildren(...bands);
  }

  // A band in pieces: it is left out where numbers or words stand, so that it crosses none.
  /** @param {Place} place @param {Box} own @param {Place[]} block */
  band(place, own, block) {
    const { layout, stages } = this.board;
    const box = block.length ? layout.boxes[block[0].matrix] : undefined;
    if (!box) return [];
    const [x, y] = [own.x + this.columnOf(own, place) * own.cell, own.y + this.rowOf(own, place) * own.row];
    const inRow = Math.abs(box.y + this.rowOf(box, block[0]) * box.row - y) < 1 && box.x + box.width <= x;
    const inColumn = Math.abs(box.x + this.columnOf(box, block[0]) * box.cell - x) < 1 && box.y + box.height <= y;
    const across = { x: box.x + box.width, y: y + 2, width: x - box.x - box.width, height: own.row - 5 };
    const down = { x: x + 1, y: box.y + box.height, width: own.cell - 3, height: y - box.y - box.height };
    const free = inRow ? freeOf(across, this.taken(), "x", "width")
      : inColumn ? freeOf(down, this.taken(), "y", "height") : [];
    return free.map((part) => path(`band role-${stages.get(block[0].matrix).role}`,
      inPath`M${part.x} ${part.y} h${part.width} v${part.height} h${-part.width} Z`));
  }

  // The areas of all numbers and words.
  taken() {
    const { board } = this;
    const { boxes } = board.layout;
    const headed = [...board.grids]
      .flatMap(([name, { headed: height }]) => (height ? [{ ...boxes[name], y: boxes[name].y - height, height }] : []));
    return [...Object.values(boxes), ...headed, ...Object.values(board.titles), ...board.frame.words];
  }

  /** @param {Box} box @param {Place} place */
  rowOf(box, place) {
    return box.turned ? place.column : place.row;
  }

  /** @param {Box} box @param {Place} place */
  columnOf(box, place) {
    return box.turned ? place.row : place.column;
  }
}
