// A part of one word's story on the page: its title, its cells, and what unfolds under them.

import { pieceNamed, symbolOf } from "../cells/cell.js";
import { make, put, toggle, UNSEEN } from "../cells/elements.js";
import { sharesOf } from "../spine/words.js";
import { percent } from "../values/numbers.js";
import { evenShareOfRow } from "../values/reads.js";
import { BarGrid, RowGrid, StoryGrid, boxOf } from "./story_grids.js";
import { mixLetters } from "./story_layout.js";
import { say } from "../../scripts/sentences.js";

const EVEN_HIGH = 28; // pixels that its words take, over the line where they fit under the title

export class StoryPart {
  /** @param {Board} board @param {Part} part @param {Spot} spot @param {HTMLElement | null} way */
  constructor(board, part, spot, way) {
    this.board = board;
    this.part = part;
    this.way = way;
    this.spot = spot;
    const { kind, stage, weight, bias, raw } = part;
    const box = boxOf(spot.cells, kind === "all");
    if (kind === "all") this.grid = new StoryGrid(board, stage.name, box);
    else this.grid =
      spot.bars ? new BarGrid(board, stage.name, box, spot.bars.height) : new RowGrid(board, stage.name, box);
    this.weight = gridOf(board, weight, spot.weight);
    this.bias = gridOf(board, bias, spot.bias);
    this.raw = raw && spot.raw ? new RowGrid(board, raw.name, boxOf(spot.raw, false)) : null;
    this.title = make("div", "title");
    const { rows } = board.torch[stage.name];
    this.heads = spot.heads ? board.data.keys.slice(0, rows).map((_, at) => make("span",
      `head${spot.cells.readable ? "" : " upright"}`, [pieceNamed(stage, at, board.data.keys)], UNSEEN)) : [];
    // What has a column for each word is moved sideways where there are too many of them.
    const columns = [...this.heads, this.grid.matrix, ...(this.raw ? [this.raw.matrix] : [])];
    this.columns = make("div", "columns", columns);
    this.across = make("div", "across", [this.columns]);
    this.edge = make("div", "edge", ["→"], UNSEEN);
    this.even = make("div", "even-line", [make("span")]);
    this.mix = make("div", "mix");
    this.unfolded = make("div", `unfolded role-${weight?.role ?? stage.role}`);
    way?.classList.add(`role-${weight?.role ?? stage.role}`);
  }

  get grids() {
    return [this.grid, this.weight, this.bias, this.raw].filter((grid) => grid !== null);
  }

  // In the order in which it is read.
  get elements() {
    const { title, way, unfolded, across, edge, grid, even, mix, weight, bias } = this;
    const cells = this.part.kind === "row" ? [grid.matrix] : [across, edge];
    return [title, way, unfolded, ...cells, even, mix, weight?.matrix, bias?.matrix]
      .filter((element) => element instanceof HTMLElement);
  }

  // All but the rows, which another part may show.
  put(/** @type {Spot} */ spot) {
    const { part, title, way, heads, mix, unfolded, grid } = this;
    this.spot = spot;
    put(title, spot.title);
    title.hidden = spot.joined;
    title.style.lineHeight = `${spot.title.height}px`;
    if (way && spot.way) put(way, spot.way);
    if (part.weight || part.raw) way?.setAttribute("aria-expanded", String(spot.unfolded !== null));
    heads.forEach((head, at) => spot.heads
      && put(head, { ...spot.heads, x: spot.heads.x + at * spot.cells.cell, width: spot.cells.cell }));
    if (part.kind === "all") grid.put(spot.cells);
    show(mix, spot.mix);
    show(unfolded, spot.unfolded);
    this.weight?.put(spot.weight);
    this.bias?.put(spot.bias);
  }

  // So wide are all words' columns, if they are wider than the screen, else 0.
  spread(/** @type {number} */ width) {
    const { across, columns, edge, spot: { cells, heads } } = this;
    toggle(across, "wide", width > 0);
    columns.style.width = width ? `${width}px` : "";
    edge.hidden = !width;
    const top = heads?.y ?? cells.y;
    put(edge, { x: 0, y: top, height: cells.y + cells.height - top });
    edge.style.left = "";
  }

  // "X input → Q asks · “fluffy”", with the part that stands in the same line, if any.
  write(/** @type {Part | null} */ joined) {
    const { board, part, title, heads } = this;
    const told = (joined ? [part, joined] : [part]).flatMap(({ stage }, at) => {
      const named =
        make("span", "named", [make("b", `role-${stage.role}`, [symbolOf(stage)]), " ", short(stage.short)]);
      named.onclick = () => board.pointing.describe(stage);
      return [...(at ? [short(" → ")] : []), named];
    });
    const token = pieceNamed(part.stage, board.query, board.data.names);
    const of = part.kind === "all" ? say("board.story.every")
      : part.kind === "row" ? say("board.story.row", { token }) : "";
    const more = part.kind === "all" && this.across.classList.contains("wide") ? say("board.story.swipe") : "";
    title.replaceChildren(...told, short([of, more].filter(Boolean).map((each) => ` · ${each}`).join("")));
    const from = board.stages.get("attention_weights")?.own_from ?? null;
    heads.forEach((head, at) => toggle(head, "on", from !== null && at === from + board.query));
  }

  // What follows the numbers.
  show() {
    this.even.hidden = !(this.grid instanceof BarGrid);
    if (this.grid instanceof BarGrid) this.showEven(this.grid);
    if (this.spot.mix) this.showMix(mixLetters(this.spot.mix));
  }

  // A line where all bars would end if all shares were the same.
  showEven(/** @type {BarGrid} */ { top, bars }) {
    const { board, even, spot: { cells } } = this;
    const share = evenShareOfRow(board.made, board.query);
    even.hidden = share === null;
    if (share === null) return;
    const down = bars - Math.min(bars, Math.round((share / top) * bars));
    toggle(even, "high", down < EVEN_HIGH);
    put(even, { x: 0, y: cells.y + down, width: Math.min(cells.x + cells.width, board.story.room?.width ?? Infinity),
      height: 0 });
    const text = unbroken(say("board.story.even", { even: percent(share) }));
    if (even.textContent !== text && even.firstChild) even.firstChild.textContent = text;
  }

  // "≈ 5 % the + 6 % fluffy + 61 % cat": the largest shares, as many as there is room for, and "=" where none is
  // rounded.
  showMix(/** @type {number} */ letters) {
    const { board, mix } = this;
    const shares = sharesOf(board.made, board.query);
    const terms = shares.flatMap((share, at) =>
      (share === null ? [] : [{ share, percent: percent(share), label: board.data.keys[at] }]));
    if (terms.some(({ share }) => !Number.isFinite(share))) return mix.replaceChildren();
    const lengthOf = (/** @type {typeof terms} */ some) =>
      some.reduce((sum, term) => sum + term.percent.length + [...term.label].length + 4, 0);
    const least = terms.toSorted((one, other) => one.share - other.share);
    let kept = terms;
    while (kept.length > 1 && lengthOf(kept) > letters) {
      const dropped = least.shift();
      kept = kept.filter((term) => term !== dropped);
    }
    const exact = kept.length === terms.length && terms.every(({ share }) => isWholePercent(share));
    const spans = kept.flatMap((term, at) =>
      [at ? " + " : exact ? "= " : "≈ ", `${unbroken(term.percent)} `, make("bdi", "", [term.label])]);
    mix.replaceChildren(...spans, ...(kept.length < terms.length ? [" + …"] : []));
  }
}

const WHOLE = 1e-5; // of a percent: what float32 can't tell from a whole one

function isWholePercent(/** @type {number} */ share) {
  return Math.abs(100 * share - Math.round(100 * share)) <= WHOLE;
}

/** @param {Board} board @param {Stage | null} stage @param {Cells | null} cells */
function gridOf(board, stage, cells) {
  return stage && cells ? new StoryGrid(board, stage.name, boxOf(cells, false)) : null;
}

/** @param {HTMLElement} element @param {Rect | null} area */
function show(element, area) {
  element.hidden = !area;
  if (area) put(element, area);
}

function short(/** @type {string} */ text) {
  return make("span", "short", [text]);
}

// A share whose number and sign stand in one line.
function unbroken(/** @type {string} */ text) {
  return text.replace(/ (?=%)/, "\u00a0");
}
