// Follows the cell that the pointer is on, or the pinned one: highlights the cells that it's made from and those that
// it feeds, and has the dock explain it.

import { toggle } from "./cells/elements.js";
import { seenSourcesOf } from "./values/explain.js";
import { structureOf } from "./display.js";
import { PICKED_MS, PREVIEW_MS } from "./spine/motion.js";
import { addressOf, namedFrom, forHead } from "./places.js";
import { feeds, spansIn } from "./values/dependencies.js";

export class Pointing {
  /** @param {Pick<Board, "at" | "data" | "drag" | "flow" | "grids" | "isEditable" | "isShown" | "trace" | "panel"
   *  | "pinned" | "plane" | "play" | "root" | "sender" | "stages" | "story" | "structure" | "torch">} board */
  constructor(board) {
    this.board = board;
    /** @type {{ key: string, structure: string, cells: Record<string, Uint8Array> } | null} */
    this.fed = null; // the cells that the chosen input cell feeds
    this.calm = false; // whether it was just dragged, so that nothing is dimmed and readers see all that changed
  }

  // Highlight what the chosen cell is made from, or, if it's an input, what it feeds, and explain it in the dock.
  explain() {
    const { board } = this;
    if (board.play.moment) return; // Play writes there what its step shows
    const place = [board.pinned, board.at, board.data.lit].find((each) => each && board.isShown(each)) ?? null;
    const sources = place ? seenSourcesOf(board.trace, place) : [];
    // During a drag, the cells that the number feeds stay bright above the veil. Matrices drawn as pixels have no cells
    // that could be lifted above it.
    const fed = place && board.isEditable(place) ? this.fedBy(place) : {};
    for (const [name, grid] of board.grids) grid.light(board.drag ? this.onPath(grid, fed) : fed[name],
      spansIn(sources, name), place?.matrix === name ? place : null);
    // The cell that a step of the lesson points out only gets frames; nothing is dimmed, because everything is there to
    // be read.
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

  // Return which cells of a matrix stay bright while a number is dragged: in the followed row, those that the number
  // feeds and those that they are computed from.
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

  // Describe the matrix whose name the pointer is on, while the dock has nothing else to say.
  describe(/** @type {Stage} */ stage) {
    const { board } = this;
    if (!board.pinned && !board.drag && !board.play.moment) board.panel.describe(stage);
  }

  // Cached, because what an input cell feeds depends on the table alone.
  fedBy(/** @type {Place} */ place) {
    const [key, { structure }] = [addressOf(place), this.board];
    if (this.fed?.key === key && this.fed.structure === structure) return this.fed.cells;
    const cells = feeds(this.board.trace, place);
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

  // Pin a cell; null unpins the pinned one.
  pin(/** @type {Place | null} */ place) {
    const { board } = this;
    board.play.stop();
    this.calm = false;
    if (!this.isPinned(place) && (!place || board.isShown(place))) {
      board.pinned = place;
      board.sender.sendPicks();
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

// Picks the token whose row is followed, previews the token that the pointer is on, and puts another head in view.

export class Picking {
  constructor(/** @type {Board} */ board) {
    this.board = board;
  }

  // Show who reads a token; null shows again what the picked token reads.
  showReadersOf(/** @type {number | null} */ key) {
    const { board } = this;
    const readWord = board.data.others ? (key ?? board.readWord) : null;
    board.motion.follow(() => board.display.showAs({ byReaders: key !== null, readWord }), PICKED_MS);
  }

  // Show who reads a token, or end that if it's shown already.
  turnReaders(key = this.board.key) {
    const { byReaders, data, query } = this.board;
    if (!data.others && key !== query) this.pick(key); // the token whose readers are shown is the picked one
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
      board.sender.sendPicks();
      board.host.notify?.("picked", { key: board.data.key, query });
    }
    board.motion.follow(() => this.follow(), PICKED_MS);
  }

  // Put another head in view. The page has the matrices of all heads, so that only names change.
  look(/** @type {number} */ head) {
    const { board } = this;
    const { data, pinned } = board;
    if (head === data.head || data.head === null || board.drag || board.input.typing) return;
    board.play.stop();
    board.undo.turn(namedFrom(data, head));
    const moved = [...board.pending.values()].map((edit) => ({ ...edit, matrix: namedFrom(data, head)(edit.matrix) }));
    board.pending = new Map(moved.map((edit) => [addressOf(edit), edit]));
    board.head = head;
    const seen = forHead(data, head);
    board.intake.take(seen, structureOf(seen));
    board.pinned = pinned && board.fits(pinned) ? pinned : null; // the same cell of the other head
    board.sender.sendPicks(true);
    board.pointing.explain();
  }

  preview(/** @type {number | null} */ query) {
    const { board } = this;
    if (query === board.previewed || board.drag || board.play.active) return;
    board.previewed = query;
    board.motion.follow(() => this.follow(), query === null ? PREVIEW_MS.out : PREVIEW_MS.in);
  }

  // Show the row of another token.
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
