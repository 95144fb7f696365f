// One word's story, which a narrow screen shows instead of the spine: from the picked word's input to its context, in
// parts one below the other. The matrices that a part is made with unfold in its place.

import { pieceNamed } from "../cells/cell.js";
import { button, make, toggle } from "../cells/elements.js";
import { valueAt } from "../values/matrices.js";
import { written } from "../values/numbers.js";
import { dividedBy, seenSourcesOf } from "../values/explain.js";
import { addressOf } from "../places.js";
import { bringIntoView, Slider, steady, WordColumns } from "./story_moving.js";
import { isStrip, partsOf, planOf } from "../spine/plan.js";
import { BarGrid, RowGrid } from "./story_grids.js";
import { ARCS, cellsOf, fitted, GUTTER, HALL, NARROW, planeIn } from "./story_layout.js";
import { StoryPart } from "./story_part.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

// pixels: the height of the first thing to do, how much lower the sentence about what is read is meanwhile, and the
// height of the dock's ways to other views
const [TOY, SAID, VIEWS] = [84, 64, 44];

export class Story {
  constructor(/** @type {Board} */ board) {
    this.board = board;
    this.isShown = false;
    this.whole = false; // whether the reader asked for all rows, which the spine shows
    /** @type {Set<string>} */
    this.open = new Set(); // the parts that the reader unfolded
    this.followed = -1; // the word whose story is told
    this.arranged = ""; // a key for everything that decides how the parts are arranged
    this.revealed = ""; // the address of the pinned cell that was last brought into view
    this.litOnce = ""; // the address of the lesson's cell for which parts were last unfolded
    /** @type {Map<string, StoryPart>} */
    this.parts = new Map();
    this.element = make("div", "story");
    this.slider = new Slider(board);
    this.first = new Slider(board);
    this.toy = make("div", "toy");
    /** @type {Place | null} */
    this.begun = null; // the cell that the first slider changes
    this.columns = new WordColumns();
    this.turn = button("turn", "", () => this.turnOver());
    this.hand = make("div", "hand", [this.slider.input]);
    this.deeds = make("div", "deeds"); // the buttons for Play and for "Why?"
    /** @type {Column[]} */
    this.spine = []; // the columns whose row Play computes
    this.played = ""; // the matrix that Play is computing
    this.asked = false; // whether the plane is shown here
    board.panel.element.append(this.deeds, this.hand, this.turn);
  }

  // Decide whether the board tells a story in this room.
  takes(/** @type {Room} */ room) {
    const { data, torch } = this.board;
    // A model head's vectors are strips of colour, so only its words have to be few. Numbers by distance, twice as many
    // as words, don't count, because a story doesn't draw them.
    const small = data.fixed ? data.labels.length <= CONSTANTS.FITS : Object.entries(torch)
      .every(([name, { rows, columns }]) => name === "by_distance" || Math.max(rows, columns) <= CONSTANTS.FITS);
    // A question's board goes by the window's width, because it may be one of two on a wide page. A lecture room shows
    // matrices, except on a telephone.
    const width = data.store ? this.board.host.view().width : room.width;
    const narrow = room.sentence && small && width < (data.ribbons === null ? HALL : NARROW)
      && !data.tells?.presents;
    this.isShown = narrow && !this.whole;
    // The sentence's own element keeps its style, because the page would scroll if it lost its height.
    const { says, tools } = this.board.sentence;
    for (const each of [says, tools.element]) each.removeAttribute("style");
    toggle(this.board.root, "narrow", narrow);
    toggle(this.board.root, "told", this.isShown);
    this.turn.hidden = data.tells?.part.length === 0;
    this.turn.textContent = say(this.isShown ? "board.story.all" : "board.story.one");
    return this.isShown;
  }

  turnOver() {
    const { board } = this;
    this.whole = !this.whole;
    board.assembly.again();
    this.turn.focus();
  }

  // ---- building ----

  // Make everything anew, in the available room.
  lay(/** @type {Room} */ room) {
    const { board } = this;
    board.root.style.setProperty("--s", "1");
    const { tells, lit } = board.data;
    // strips are only shown among all rows, on the spine
    const placed =
      board.assembly.placed.filter((name) => !isStrip(board.torch[name]) && (!tells || tells.part.includes(name)));
    const stages = [...board.stages.values()];
    const parts = partsOf(stages, placed);
    this.spine = planOf(stages, placed, false, false);
    board.layout = { ...board.layout, scale: 1, arcs: 0, columns: [], boxes: {}, folded: [], foldable: [],
      aside: planeIn(room.width, board.host.view().bottom) };
    if (lit && addressOf(lit) !== this.litOnce) for (const name of this.holding(parts, lit)) this.open.add(name);
    this.litOnce = addressOf(lit ?? null);
    const { sizes, words } = cellsOf(parts, board.torch, room.width, board.data.keys.length);
    this.parts = new Map(parts.map((part) => [part.stage.name,
      new StoryPart(board, part, sizes[part.stage.name], room.width, this.wayTo(part, sizes[part.stage.name].way))]));
    const all = [...this.parts.values()];
    all.forEach((part, at) => part.joined && all[at - 1].join(part));
    for (const grid of all.flatMap(({ grids }) => grids)) {
      board.grids.set(grid.stage.name, grid);
      board.layout.boxes[grid.stage.name] = grid.box;
    }
    board.sentence.build(board.layout, room);
    this.freeSentence();
    this.joinWords(all, room);
    board.play.place(room);
    board.plane.build(board.layout);
    this.element.style.setProperty("--gutter", `${GUTTER}px`);
    this.element.replaceChildren(board.frame.veil, ...all.flatMap(({ joined, element }) => (joined ? [] : [element])));
    this.columns.build(all);
    this.hand.append(board.undo.element);
    board.telling.buildAroundStory();
    const { element: before, after } = board.telling;
    board.root.replaceChildren(...(tells ? [before] : []), board.sentence.element, ...this.toys(),
      ...board.strip.elements, ...board.plane.elements, this.element, ...(tells ? [after] : []), board.panel.element);
    this.columns.spread(words);
    this.fit(room, all);
    this.follow();
    board.sentence.show();
    this.showPlane();
  }

  // Put Play's controls and the button "Why?" into the dock, where the thumb reaches them.
  hold(/** @type {HTMLElement} */ controls) {
    const { tools } = this.board.sentence;
    this.deeds.replaceChildren(controls, tools.why);
    toggle(this.deeds, "gone", !tools.wide);
  }

  // Bring the plane into view if it has just been opened.
  showPlane() {
    const { host, plane: { elements }, panel } = this.board;
    const before = this.asked;
    this.asked = elements.length > 0;
    if (this.asked && !before) requestAnimationFrame(() => bringIntoView(host, elements, panel.element));
  }

  // Let ribbons run between the words over the first columns, if these are the sentence's own words.
  /** @param {StoryPart[]} parts @param {Room} room */
  joinWords(parts, { ribbons }) {
    const { board } = this;
    const first = parts.find(({ heads }) => heads.length === board.data.labels.length);
    if (!first || !ribbons || board.data.others || !board.sentence.tools.wide) return;
    first.columns.prepend(board.sentence.ribbons);
    board.sentence.arch(first.heads.map((_, at) => (at + 0.5) * first.grid.box.cell), ARCS);
  }

  // Remove the styles that place words and sentence on the spine, so that those in story.css apply.
  freeSentence() {
    const { strip, says, tools, element, chips, read } = this.board.sentence;
    for (const each of [strip, says, tools.element, element, ...chips, ...read.chips]) each.removeAttribute("style");
    read.chips.forEach((chip, at) => (chip.hidden = at >= this.read.length));
  }

  // Fit the parts into the available height. If a step's sentences stand around the story, nothing shrinks, because the
  // page has to be scrolled anyway.
  /** @param {Room} room @param {StoryPart[]} parts */
  fit({ height }, parts) {
    const { element, board } = this;
    const { ruler, explores, root, sentence, data: { tells, isCurrent, ribbons } } = board;
    for (const part of parts) {
      part.open(false);
      for (const grid of part.grids) if (grid instanceof RowGrid) grid.putRows(board.query, []);
    }
    const taken = ruler.toy ? TOY - SAID : this.begun ? TOY : explores ? VIEWS : 0;
    fitted((low, gap, bars, says) => {
      toggle(root, "low", low);
      sentence.element.style.setProperty("--says", `${says}px`);
      element.style.setProperty("--gap", `${gap}px`);
      for (const part of parts) {
        part.setMix(low);
        if (part.grid instanceof BarGrid) part.grid.setBars(bars);
      }
      return sentence.says.offsetTop + element.offsetHeight;
    }, parts.filter(({ joined }) => !joined).length, tells ? Infinity : height - taken,
      isCurrent === false || ribbons === null);
  }

  // The first thing to do: a slider for one number, and what happens if it's moved. It stays under the finger until
  // another cell is picked.
  toys() {
    const { board, toy, first } = this;
    const { ruler } = board;
    const place = ruler.toy ?? this.begun;
    this.begun = place;
    if (!place) return [];
    const { symbol, role } = board.stage(place);
    const value = written(valueAt(board.torch[place.matrix], place.row, place.column), 2);
    const says = ruler.toy ? [make("span", "", [say("board.ruler.slide_to", { value })]), " ",
      make("b", "", [ruler.promise])] : [];
    toy.replaceChildren(...says, make("div", `role-${role}`, [first.input, make("b", "symbol-of", [symbol])]));
    return [toy];
  }

  // The words that are read but aren't in the sentence itself.
  get read() {
    const { others, keys } = this.board.data;
    const own = this.board.stages.get("attention_weights")?.first_own_key ?? keys.length;
    return others ? keys.slice(0, own) : [];
  }

  // The element before a part: a button that unfolds the matrix that makes this part, or an arrow.
  /** @param {Part} part @param {number} wide the way's width between two parts in one line, else 0 */
  wayTo({ stage, weight, bias, raw }, wide) {
    if (!weight && !raw) return wide ? make("span", "way", ["→"]) : null;
    const element = button("way", "", () => this.unfold(stage.name));
    if (!weight) element.textContent = dividedBy(stage.settings) || say("board.op.unscaled");
    else element.textContent = bias ? say("board.story.times_plus", { symbol: weight.symbol, bias: bias.symbol })
      : say("board.story.times", { symbol: weight.symbol });
    return element;
  }

  // ---- arranging ----

  get pinned() {
    const { pinned } = this.board;
    return pinned && this.board.isShown(pinned) ? pinned : null;
  }

  // The cell whose sources should all be in view: the pinned one, or the one that a step of the lesson points out.
  get shown() {
    const { lit } = this.board.data;
    return this.pinned ?? (lit && this.board.isShown(lit) ? lit : null);
  }

  // The parts that are unfolded, by the reader, or because the pinned cell or Play is in what they unfold.
  opened() {
    return new Set([...this.open, ...this.needed()]);
  }

  needed() {
    const parts = [...this.parts.values()].map(({ part }) => part);
    return [this.pinned?.matrix, this.played].flatMap((matrix) => (matrix ? this.holding(parts, { matrix }) : []));
  }

  // The parts that can unfold and that show a matrix, either at once or when they're unfolded.
  /** @param {Part[]} parts @param {Pick<Place, "matrix">} place */
  holding(parts, { matrix }) {
    const holds = (/** @type {Part} */ { stage, weight, bias, raw }) => [stage, weight, bias, raw]
      .some((each) => each?.name === matrix);
    return parts.filter((part) => (part.weight ?? part.raw) && holds(part)).map(({ stage }) => stage.name);
  }

  unfold(/** @type {string} */ part) {
    const opened = this.opened().has(part);
    if (opened) this.open.delete(part);
    else this.open.add(part);
    // the pinned cell would unfold the part again
    if (opened && this.needed().includes(part)) this.board.pointing.pin(null);
    this.arrange();
    const unfolded = this.parts.get(part);
    if (!opened) this.reveal([unfolded?.weight, unfolded?.raw].flatMap((grid) => grid?.cells ?? []));
  }

  // The rows of other words that the pinned cell is in or is made from.
  others() {
    const { shown, board } = this;
    /** @type {Map<string, { matrix: string, row: number, part: string }>} */
    const others = new Map();
    if (!shown || board.previewed !== null) return [];
    const ofAll = this.parts.get(shown.matrix)?.part.kind === "all";
    for (const { matrix, row } of [shown, ...seenSourcesOf(board.trace, shown).flat()]) {
      if (row === board.query || !(board.grids.get(matrix) instanceof RowGrid)) continue;
      const holds = [...this.parts.values()].find(({ part }) => part.raw?.name === matrix)?.part.stage.name;
      others.set(`${matrix},${row}`, { matrix, row, part: ofAll ? shown.matrix : (holds ?? matrix) });
    }
    return [...others.values()];
  }

  // Unfold the parts, and put all rows where they belong.
  arrange() {
    const { board } = this;
    this.arranged = this.key();
    const [opened, others, { focused }] = [this.opened(), this.others(), board.input];
    for (const [name, part] of this.parts) part.open(opened.has(name));
    for (const [name, grid] of board.grids) {
      if (grid instanceof RowGrid) grid.putRows(board.query, others.filter(({ matrix }) => matrix === name)
        .map(({ row, part }) => ({ row, name: this.whose(grid.stage, row), place: this.placeIn(part, name) })));
    }
    if (focused && !board.input.focused) board.focus(focused); // its row may have moved
    this.show();
  }

  /** @param {Stage} stage @param {number} row */
  whose(stage, row) {
    return say("board.story.other",
      { symbol: stage.symbol, token: pieceNamed(stage, row, this.board.data.names) });
  }

  // Where another word's row stands in a part that is made from it; null if it stands in its own part.
  /** @param {string} part @param {string} matrix */
  placeIn(part, matrix) {
    const holder = this.parts.get(part);
    return part === matrix || holder?.part.raw?.name === matrix ? null : (holder?.slot ?? null);
  }

  key() {
    const { query, previewed } = this.board;
    return JSON.stringify([addressOf(this.shown), query, previewed, this.played, [...this.open]]);
  }

  // ---- following ----

  // Tell another word's story. A pin in the old word's row moves to the new one's.
  follow() {
    const { board, pinned } = this;
    if (!this.isShown) return;
    if (board.previewed === null) {
      const moves = pinned && pinned.row === this.followed && pinned.row !== board.query
        && board.grids.get(pinned.matrix) instanceof RowGrid;
      this.followed = board.query;
      if (moves) board.pointing.pin({ ...pinned, row: board.query });
    }
    const parts = [...this.parts.values()];
    this.arrange();
    parts.forEach((each, at) => each.write(parts[at + 1]?.joined ? parts[at + 1].part : null));
  }

  // Note which matrix Play computes now, blank for none, and unfold the part that holds it.
  plays(/** @type {string} */ matrix) {
    this.played = matrix;
    if (this.isShown) this.arrange();
  }

  // Keep in view what Play does.
  followPlay() {
    if (!this.isShown) return;
    const found = (/** @type {string} */ selector) => [...this.element.querySelectorAll(selector)];
    const making = found(".making");
    this.columns.reveal(making.length ? making : found(".bars .work"));
    const part = [...this.parts.values()].find(({ grids }) => grids.some(({ stage }) => stage.name === this.played));
    bringIntoView(this.board.host, [...found(".work"), ...making, ...(part ? [part.line] : [])],
      this.board.panel.element);
  }

  // Show the cell that the dock describes; bring a pinned one, and all that it's made from, into view.
  select(/** @type {Place | null} */ place) {
    if (!this.isShown) return;
    const { board, pinned } = this;
    const { toy } = board.ruler;
    if (this.begun && !toy && addressOf(place) !== addressOf(this.begun)) {
      this.begun = null;
      setTimeout(() => board.assembly.again()); // now there's more room
    }
    this.first.show(this.begun);
    this.slider.show(toy || !this.begun ? place : null);
    if (this.arranged !== this.key()) steady(board.host, pinned && board.cellAt(pinned), () => this.follow());
    if (addressOf(pinned) === this.revealed) return;
    this.revealed = addressOf(pinned);
    if (pinned) requestAnimationFrame(() => this.reveal([...this.element.querySelectorAll(".source, .chosen")]));
  }

  // Scroll until all these cells are in view.
  reveal(/** @type {Element[]} */ cells) {
    this.columns.reveal(cells);
    bringIntoView(this.board.host, cells, this.board.panel.element);
  }

  // Update what depends on numbers.
  show() {
    if (!this.isShown) return;
    for (const part of this.parts.values()) part.show();
  }
}
