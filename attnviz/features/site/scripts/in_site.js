// A board of the site. In the story, `leads` controls it: the board shows the matrices of the current step, and keeps
// the reader's edits from step to step. On other pages it is a board by itself.

import { Alone, DARK, rootIn } from "../../../board/hosts/offline.js";
import { mount } from "../../../board/board.js";
import { make } from "../../../board/cells/elements.js";
import { stagesOf } from "../../../board/display.js";
import { namedFrom, ofWhole } from "../../../board/places.js";
import { partsOf } from "../../../board/sender.js";
import { evaluateWithin } from "../../../board/values/evaluate.js";
import { makeAgain } from "../../../board/values/bit_differences.js";
import { unpacked } from "../../../board/values/matrices.js";
import { say } from "../../../scripts/sentences.js";

// If a page has several boards, none of them has its dock at the foot of the window. The story explains everything
// itself, so its board shows no text of a lesson's step, and no dock on a narrow screen.
const IN_SITE = ":host(:not(:only-of-type)) .panel.panel { position: static; } ";
const LED = ":host { display: block; } :host([hidden]) { display: none; } .telling:empty { display: none; } "
  + ".told .panel { display: none; } .unreached { position: absolute; display: grid; place-items: center; "
  + "border: 1px dashed currentcolor; opacity: 0.45; border-radius: 4px; }";

/** @typedef {{ height: () => number, onEvent: (what: string, detail: unknown) => void, own?: boolean }} Leads */

class Led extends Alone {
  /** @param {Leads} leads */
  constructor(leads) {
    super("", null);
    this.leads = leads;
    this.keeps = true;
  }

  room() {
    return { top: 0, height: this.leads.height() };
  }

  /** @param {string} what @param {unknown} detail */
  notify(what, detail) {
    this.leads.onEvent(what, detail);
  }

  // torch never computed a sentence that the reader has typed.
  /** @param {boolean} sent */
  whose(sent) {
    return this.leads.own ? say("site.board.own") : super.whose(sent);
  }
}

const NEAR_TOP = 0.25; // of the window's height

// A board near the top of its page fits into the window below what stands above it; one further down, into a window.
class OnPage extends Alone {
  /** @param {HTMLElement} element @param {boolean | null} dark */
  constructor(element, dark) {
    super("", dark);
    this.element = element;
  }

  room() {
    const room = super.room();
    const top = this.element.getBoundingClientRect().top + window.scrollY;
    return top < NEAR_TOP * window.innerHeight ? { ...room, top } : room;
  }
}

/**
 * Draw a board within an element.
 * @param {HTMLElement} element @param {BoardData} data
 * @param {{ tells?: string, dark?: boolean | null, leads?: Leads }} how
 */
export default function showBoard(element, data, { dark = null, leads }) {
  makeAgain(data);
  const root = rootIn(element, leads ? LED : IN_SITE);
  const host = leads ? new Led(leads) : new OnPage(element, dark);
  host.dress();
  const board = host.board = mount(root, data, host);
  matchMedia(DARK).addEventListener("change", () => host.dress(), board.ended);
  /** @type {Board["pending"]} */
  const aside = new Map(); // edits of matrices that the set-up in view lacks, such as those of a second head
  // Show another step, with those of the reader's edits that `keeps` allows.
  /** @param {BoardData} next @param {(edit: Edit) => boolean} keeps */
  const show = (next, keeps = () => true) => {
    board.pointing.choose(null); // or the cell that was chosen in the step before would dim cells of this one
    if (board.head) board.picking.look(0); // so that edits have the names that all set-ups share
    const has = (/** @type {Edit} */ { matrix, row, column }) => {
      const { rows, columns } = next.matrices[matrix] ?? { rows: 0, columns: 0 };
      return row < rows && column < columns;
    };
    const edits = [...aside, ...board.pending].filter(([, edit]) => keeps(edit));
    aside.clear();
    board.pending.clear();
    for (const [address, edit] of edits) (has(edit) ? board.pending : aside).set(address, edit);
    board.receive(next);
    frames(board, next.ghosts);
  };
  // The reader's edits after those of a set-up, as links write them.
  /** @param {string} before @param {(edit: Edit) => boolean} keeps */
  const editsText = (before, keeps) =>
    partsOf(before, [...board.pending.values()].filter(keeps).map((edit) => ofWhole(board.stages, edit)));
  return Object.assign(board, { show, editsText,
    valuesOf: (/** @type {BoardData} */ of) => valuesOf(board, of, aside) });
}

showBoard.filled = filled;

// Draw an empty frame for each matrix that the story hasn't reached.
/** @param {Board} board @param {string[]} names */
function frames(board, names) {
  for (const each of board.spine.querySelectorAll(".unreached")) each.remove();
  if (board.story.isShown) return;
  for (const name of names) {
    const box = board.layout.boxes[name];
    if (!box) continue;
    const frame = make("div", "unreached", [board.stages.get(name).symbol], { "aria-hidden": "true" });
    Object.assign(frame.style, { left: `${box.x}px`, top: `${box.y}px`, width: `${box.width}px`,
      height: `${box.height}px` });
    board.spine.append(frame);
  }
}

// All matrices of a set-up with the reader's edits on this board, even if the board shows another set-up now.
/** @param {Board} board @param {BoardData} data @param {Board["pending"]} aside @returns {Matrices} */
function valuesOf(board, data, aside) {
  const stages = stagesOf(data);
  const torch = unpacked(data.matrices);
  const drag = board.drag ? [board.drag, ...(board.drag.rest ?? [])] : [];
  const named = namedFrom(board.data, 0); // whichever head is in view
  const edits = [...aside.values(), ...board.pending.values(), ...drag]
    .map((edit) => ({ ...edit, matrix: named(edit.matrix) }))
    .filter(({ matrix, row, column, value }) =>
      value !== null && row < (torch[matrix]?.rows ?? 0) && column < torch[matrix].columns);
  if (!edits.length) return torch;
  const given = givenIn(data, torch);
  for (const { matrix, row, column, value } of edits) {
    const { columns, values } = given[matrix];
    values[row * columns + column] = Math.fround(Number(value));
  }
  return evaluateWithin(stages, given, torch, Infinity).matrices;
}

/** @param {BoardData} data @param {Matrices} matrices @returns {Matrices} */
function givenIn({ stages }, matrices) {
  const given = stages.filter(({ rule }) => rule === "given").map(({ name }) => name);
  return Object.fromEntries(given.map((name) =>
    [name, { ...matrices[name], values: matrices[name].values.slice() }]));
}

// Complete data that hold only inputs by all matrices that are computed from them.
/** @param {BoardData} data @returns {BoardData} */
function filled(data) {
  /** @type {Record<string, SentMatrix>} */
  const empty = {};
  for (const { name, rule, shape: [rows, columns] } of data.stages) {
    if (rule !== "given") empty[name] = { rows, columns, values: Array(rows * columns).fill(0) };
  }
  const start = unpacked({ ...data.matrices, ...empty });
  // NaN differs from every number, so each matrix is computed again
  const nothing = Object.fromEntries(Object.entries(start).map(([name, { values, ...rest }]) =>
    [name, { ...rest, values: values.map(() => NaN) }]));
  const { matrices } = evaluateWithin(stagesOf(data), givenIn(data, start), nothing, Infinity);
  const sent = Object.entries(matrices).map(([name, { rows, columns, values }]) =>
    [name, data.matrices[name] ?? { rows, columns, values: [...values] }]);
  return { ...data, matrices: Object.fromEntries(sent) };
}
