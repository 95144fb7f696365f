// The cell that is pointed at, or pinned: what it is made from and what it feeds light up, and the dock says how.

import { toggle } from "./cells/elements.js";
import { seenSourcesOf } from "./values/explain.js";
import { structureOf } from "./display.js";
import { PICKED_MS, PREVIEW_MS } from "./spine/motion.js";
import { addressOf, namedFrom, seenFrom } from "./places.js";
import { feeds, spansIn } from "./values/reach.js";

export class Pointing {
  /** @param {Pick<Board, "at" | "data" | "drag" | "flow" | "grids" | "isEditable" | "isShown" | "made" | "panel"
   *  | "pinned" | "plane" | "play" | "root" | "sender" | "stages" | "story" | "structure" | "torch">} board */
  constructor(board) {
    this.board = board;
    /** @type {{ key: string, structure: string, cells: Record<string, Uint8Array> } | null} */
    this.fed = null; // what the cell that is pointed at feeds
    this.calm = false; // whether that was just dragged: one looks at all that it did
  }

  // Light up what the cell of now is made from, or of a given one what it feeds, and say how.
  explain() {
    const { board } = this;
    if (board.play.moment) return; // which says what is at work
    const place = [board.pinned, board.at, board.data.lit].find((each) => each && board.isShown(each)) ?? null;
    const sources = place ? seenSourcesOf(board.made, place) : [];
    // What a number feeds stays lit while it is dragged, over the veil; of matrices that are pixels nothing can.
    const fed = place && board.isEditable(place) ? this.fedBy(place) : {};
    for (const [name, grid] of board.grids) grid.light(board.drag ? this.onPath(grid, fed) : fed[name],
      spansIn(sources, name), place?.matrix === name ? place : null);
    // What a step of the lesson lights up stands out by its frames alone: all else is there to be read.
    const follows = !board.drag || [...board.grids.values()].every((grid) => grid.lights);
    toggle(board.root, "pointing", Boolean(place) && follows && place !== board.data.lit && !this.calm);
    for (const grid of board.grids.values()) toggle(grid.matrix, "pinned",
      Boolean(board.pinned) && grid.stage.name === board.pinned?.matrix);
    if (board.drag) board.flow.meet(null, []);
    else board.flow.meet(place, sources);
    board.panel.show(place, sources);
    board.plane.point(place);
    board.story.select(place);
  }

  // What stays at full strength while a number is held: of what it feeds the row of the picked word, and what that
  // reads.
  /** @param {Grid} grid @param {Record<string, Uint8Array>} fed */
  onPath(grid, fed) {
    const { board } = this;
    const { stage } = grid;
    const { columns, rows } = board.torch[stage.name];
    const own = fed[stage.name];
    const told = grid.toldRow;
    const isRead = !own && [...board.grids.keys()]
      .some((name) => fed[name] && board.stages.get(name).sources.includes(stage.name));
    if (own ? told === null : !isRead) return own;
    const cells = new Uint8Array(rows * columns);
    if (told === null) return stage.rows === "feature" ? undefined : cells.fill(1);
    for (let column = 0; column < columns; column += 1) cells[told * columns + column] =
      own ? own[told * columns + column] : 1;
    return cells;
  }

  // Say what a matrix is whose name is pointed at, while nothing else has to be said.
  describe(/** @type {Stage} */ stage) {
    const { board } = this;
    if (!board.pinned && !board.drag && !board.play.moment) board.panel.describe(stage);
  }

  // What a given number feeds depends on the table alone.
  fedBy(/** @type {Place} */ place) {
    const [key, { structure }] = [addressOf(place), this.board];
    if (this.fed?.key === key && this.fed.structure === structure) return this.fed.cells;
    const cells = feeds(this.board.made, place);
    this.fed = { key, structure, cells };
    return cells;
  }

  choose(/** @type {Place | null} */ place) {
    const { board } = this;
    if (addressOf(place) === addressOf(board.at)) return;
    board.at = place;
    this.calm = false;
    if (!board.pinned || !board.isShown(board.pinned)) this.explain();
  }

  isPinned(/** @type {Place | null} */ place) {
    return addressOf(this.board.pinned) === addressOf(place);
  }

  // Pin a cell, or with null unpin the one that is pinned.
  pin(/** @type {Place | null} */ place) {
    const { board } = this;
    board.play.stop();
    this.calm = false;
    if (!this.isPinned(place) && (!place || board.isShown(place))) {
      board.pinned = place;
      board.sender.tellPicks();
    }
    this.explain();
  }

  unpin() {
    const { board } = this;
    board.panel.leaveTrail();
    board.panel.say("");
    this.pin(null);
  }
}

// Whose row is followed: the picked word, one that is pointed at, and of several heads the one in view.

export class Picking {
  constructor(/** @type {Board} */ board) {
    this.board = board;
  }

  // Show who reads a token; null shows again what the picked one reads.
  showReadersOf(/** @type {number | null} */ key) {
    const { board } = this;
    const readWord = board.data.others ? (key ?? board.readWord) : null;
    board.motion.follow(() => board.display.showAs({ byReaders: key !== null, readWord }), PICKED_MS);
  }

  // The same with a key, or not any more.
  turnReaders(key = this.board.key) {
    const { byReaders, data, query } = this.board;
    if (!data.others && key !== query) this.pick(key); // whose row it was is picked, then
    else if (byReaders && key === this.board.key) return this.showReadersOf(null);
    this.showReadersOf(key);
  }

  pick(/** @type {number} */ query) {
    const { board } = this;
    board.previewed = null;
    if (board.data.others && board.byReaders) board.display.showAs({ byReaders: false });
    if (query !== board.picked) {
      board.picked = query;
      board.ruler.begun();
      board.play.stop();
      board.sender.tellPicks();
      board.host.tells?.("picked", { key: board.data.key, query });
    }
    board.motion.follow(() => this.follow(), PICKED_MS);
  }

  // Have another head in view: the page has all of them, and only names change.
  look(/** @type {number} */ head) {
    const { board } = this;
    const { data, pinned } = board;
    if (head === data.head || data.head === null || board.drag || board.input.typing) return;
    board.play.stop();
    board.undo.turn(namedFrom(data, head));
    const moved = [...board.pending.values()].map((edit) => ({ ...edit, matrix: namedFrom(data, head)(edit.matrix) }));
    board.pending = new Map(moved.map((edit) => [addressOf(edit), edit]));
    board.head = head;
    const seen = seenFrom(data, head);
    board.intake.take(seen, structureOf(seen));
    board.pinned = pinned && board.fits(pinned) ? pinned : null; // the same cell of the other head
    board.sender.tellPicks(true);
    board.pointing.explain();
  }

  preview(/** @type {number | null} */ query) {
    const { board } = this;
    if (query === board.previewed || board.drag || board.play.active) return;
    board.previewed = query;
    board.motion.follow(() => this.follow(), query === null ? PREVIEW_MS.out : PREVIEW_MS.in);
  }

  // Show the row of another word.
  follow() {
    const { board } = this;
    for (const grid of board.grids.values()) grid.markRow();
    board.flow.follow();
    board.frame.show();
    board.plane.show();
    board.story.follow();
    if (!board.data.sentence) return;
    board.sentence.mark();
    board.sentence.show();
  }
}
