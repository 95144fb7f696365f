// A part of one word's story: its title, its cells, and what unfolds below them.

import { asideOf, pieceNamed, symbolOf } from "../cells/cell.js";
import { make, put, setText, toggle, UNSEEN } from "../cells/elements.js";
import { sharesOf } from "../spine/words.js";
import { percent, unbroken } from "../values/numbers.js";
import { evenShareOfRow } from "../values/most_read.js";
import { BarGrid, RowGrid, StoryGrid } from "./story_grids.js";
import { boxOf, featureOf, GUTTER, isNamed, mixIn } from "./story_layout.js";
import { say } from "../../scripts/sentences.js";

const EVEN_HIGH = 28; // pixels: the words of the even share stand below its line if that is nearer to the top
const SYMBOL = 30; // pixels for the symbol beside a matrix
const BESIDE = 10; // pixels between cells and their mix

export class StoryPart {
  /** @param {Board} board @param {Part} part @param {{ cell: number, left: number, way: number }} size
   *  @param {number} width @param {HTMLElement | null} way */
  constructor(board, part, { cell, left, way: wide }, width, way) {
    this.board = board;
    this.part = part;
    this.way = way;
    this.width = width;
    this.joined = wide > 0;
    const { kind, stage, weight, bias, raw } = part;
    const shape = board.torch[stage.name];
    const box = boxOf(shape, cell, kind === "all");
    if (kind === "all") this.grid = new StoryGrid(board, stage.name, box);
    else this.grid = new (kind === "shares" ? BarGrid : RowGrid)(board, stage.name, box);
    this.weight = this.learned(weight, left);
    this.bias = this.learned(bias, left);
    this.raw = raw && new RowGrid(board, raw.name, box);
    if (raw && this.raw) this.raw.matrix.prepend(symbolBeside(raw, GUTTER));
    const heads = kind === "all" ? board.data.keys.slice(0, shape.rows) : [];
    this.heads = heads.map((_, at) => make("span", `head${isNamed(cell) ? "" : " upright"}`,
      [pieceNamed(stage, at, board.data.keys)], UNSEEN));
    const role = `role-${weight?.role ?? stage.role}`;
    const over = make("div", "head-row", this.heads);
    over.style.gridTemplateColumns = `repeat(${heads.length}, ${cell}px)`;
    // A matrix with a column for each word is scrolled sideways if it's too wide.
    this.before = make("div", `unfolded ${role}`, this.raw ? [this.raw.matrix] : []);
    this.columns = make("div", "columns", [...(heads.length ? [over] : []), this.grid.matrix, this.before]);
    this.across = make("div", "across", [this.columns]);
    this.edge = make("div", "edge", [], UNSEEN);
    this.even = make("div", "even-line", [make("span")]);
    this.mix = make("div", "mix");
    this.letters = 0; // how many letters fit into it
    this.slot = make("div"); // for another word's row that this part is made from
    this.unfolded = make("div", `unfolded ${role}`,
      [this.slot, ...[this.weight, this.bias].flatMap((grid) => grid?.matrix ?? [])]);
    this.unfolded.style.paddingLeft = `${left}px`;
    this.title = make("div", "title");
    this.aside = document.createTextNode("");
    this.line = make("div", "cells", kind === "row" ? [this.grid.matrix] : [this.across, this.edge, this.even]);
    way?.classList.add(role);
    if (way && this.joined) way.style.width = `${wide}px`;
    this.element = make("div", heads.length === board.data.keys.length ? "part headed" : "part",
      [make("div", "named-line", [this.title, ...(way ? [way] : [])]), this.line, this.unfolded]);
    if (part.mixes && kind === "row") this.line.append(this.mix);
  }

  // The grid of a learned matrix, with its symbol beside it if there's room.
  /** @param {Stage | null} stage @param {number} left */
  learned(stage, left) {
    if (!stage) return null;
    const shape = this.board.torch[stage.name];
    const grid = new StoryGrid(this.board, stage.name, boxOf(shape, featureOf(this.width - left, shape.columns)));
    if (left >= SYMBOL) grid.matrix.prepend(symbolBeside(stage, left));
    return grid;
  }

  get grids() {
    return [this.grid, this.weight, this.bias, this.raw].filter((grid) => grid !== null);
  }

  // Put the next part into the same line.
  join(/** @type {StoryPart} */ { way, grid, unfolded }) {
    this.line.append(...(way ? [way] : []), grid.matrix);
    this.element.append(unfolded);
  }

  open(/** @type {boolean} */ opened) {
    const { weight, raw } = this.part;
    this.unfolded.hidden = !opened || !weight;
    this.before.hidden = !opened || !raw;
    if (weight || raw) this.way?.setAttribute("aria-expanded", String(opened));
  }

  // Set the width of the words' columns if they're wider than the screen; 0 if they aren't.
  spread(/** @type {number} */ width) {
    toggle(this.across, "wide", width > 0);
    this.columns.style.width = width ? `${width}px` : "";
    this.edge.hidden = !width;
  }

  // Write the title, such as "X input → Q asks · “fluffy”", with that of the part in the same line, if any.
  write(/** @type {Part | null} */ joined) {
    const { board, part, title, heads } = this;
    const raw = part.raw ? [make("b", `role-${part.raw.role}`, [symbolOf(part.raw)]), short(" → ")] : [];
    const told = (joined ? [part, joined] : [part]).flatMap(({ stage }, at) => {
      const note = board.featuresOf(stage).join(", ");
      const is = note ? `${stage.short} ${say("board.matrix.note", { note })}` : stage.short;
      const named = make("span", "named", [make("b", `role-${stage.role}`, [symbolOf(stage)]), " ", short(is)]);
      named.onclick = () => board.pointing.describe(stage);
      return [...(at ? [short(" → ")] : []), named];
    });
    told[told.length - 1].lastChild?.appendChild(this.aside);
    const token = pieceNamed(part.stage, board.query, board.data.names);
    const of = part.kind === "all" ? say("board.story.every")
      : part.kind === "row" ? say("board.story.row", { token }) : "";
    const more = part.kind === "all" && this.across.classList.contains("wide") ? say("board.story.swipe") : "";
    title.replaceChildren(...raw, ...told, short([of, more].filter(Boolean).map((each) => ` · ${each}`).join("")));
    const from = board.stages.get("attention_weights")?.first_own_key ?? null;
    heads.forEach((head, at) => toggle(head, "on", from !== null && at === from + board.query));
  }

  // Update what depends on numbers.
  show() {
    const { kind, stage, raw } = this.part;
    const bars = this.grid instanceof BarGrid;
    const { columns } = this.board.shown[stage.name];
    const row = this.grid.cells.slice(this.board.query * columns, (this.board.query + 1) * columns);
    setText(this.aside, kind === "all" ? "" : asideOf(this.board, raw ?? stage, row, bars ? 100 : 1));
    this.even.hidden = !bars;
    if (this.grid instanceof BarGrid) this.showEven(this.grid);
    if (this.mix.isConnected) this.showMix();
  }

  // Draw a line where all bars would end if all shares were the same.
  showEven(/** @type {BarGrid} */ { top, bars, box }) {
    const { board, even, width } = this;
    const share = evenShareOfRow(board.trace, board.query);
    even.hidden = share === null;
    if (share === null) return;
    const down = bars - Math.min(bars, Math.round((share / top) * bars));
    toggle(even, "high", down < EVEN_HIGH);
    put(even, { x: 0, y: down, width: Math.min(GUTTER + box.width, width) });
    const text = unbroken(say("board.story.even", { even: percent(share) }));
    if (even.textContent !== text && even.firstChild) even.firstChild.textContent = text;
  }

  // Set the height of the context's mix, and how many letters fit into it.
  setMix(/** @type {boolean} */ low) {
    const { board, grid: { box }, width } = this;
    const { beside, height, letters } = mixIn(board.data.keys, width - box.width - BESIDE, width, low);
    this.letters = letters;
    this.mix.style.height = `${height}px`;
    toggle(this.line, "under", !beside);
  }

  // Write the mix, such as "≈ 5 % the + 6 % fluffy + 61 % cat": as many of the largest shares as fit, with "=" if none
  // is rounded.
  showMix() {
    const { board, mix } = this;
    const shares = sharesOf(board.trace, board.query);
    const terms = shares.flatMap((share, at) =>
      (share === null ? [] : [{ share, percent: percent(share), label: board.data.keys[at] }]));
    if (terms.some(({ share }) => !Number.isFinite(share))) return mix.replaceChildren();
    const lengthOf = (/** @type {typeof terms} */ some) =>
      some.reduce((sum, term) => sum + term.percent.length + [...term.label].length + 4, 0);
    const least = terms.toSorted((one, other) => one.share - other.share);
    const others = { share: 0, percent: percent(0), label: say("board.story.others") };
    let kept = terms;
    while (kept.length > 1 && lengthOf(kept.length < terms.length ? [...kept, others] : kept) > this.letters) {
      const dropped = least.shift();
      kept = kept.filter((term) => term !== dropped);
      others.share += dropped?.share ?? 0;
      others.percent = percent(others.share);
    }
    const exact = kept.length === terms.length && terms
      .every(({ share }) => Math.abs(100 * share - Math.round(100 * share)) <= WHOLE);
    mix.replaceChildren(...(kept.length < terms.length ? [...kept, others] : kept).flatMap((term, at) => {
      const less = at > 0 && term.percent.startsWith("−");
      const sign = less ? " − " : at ? " + " : exact ? "= " : "≈ ";
      return [sign, `${unbroken(term.percent.slice(Number(less)))} `, make("bdi", "", [term.label])];
    }));
  }
}

const WHOLE = 1e-5; // percent: float32 can't tell apart numbers that are nearer to each other

/** @param {Stage} stage @param {number} left */
function symbolBeside({ symbol, role }, left) {
  const element = make("b", `symbol role-${role}`, [symbol]);
  put(element, { x: -left, y: 0, width: left - 4 });
  return element;
}

function short(/** @type {string} */ text) {
  return make("span", "short", [text]);
}
