// Builds the whole board: lays out all matrices, and what stands around them, in the room that there is.

import { CanvasGrid } from "./cells/canvas_grid.js";
import { button, drawn, make, put, toggle, UNSEEN, write } from "./cells/elements.js";
import { Grid, widthsOf } from "./cells/grid.js";
import { inHall, numbersFirst } from "./spine/hall.js";
import { labelsOf, layoutOf, PRESENTED, RIBBONS, saysOf } from "./spine/layout.js";
import { titlesOf } from "./spine/plan.js";
import { NARROW } from "./story/story_layout.js";
import { leftFor } from "./spine/telling.js";
import { lengthOf, SAYS, saysBelow, wordsOf } from "./spine/words.js";
import { CONSTANTS } from "../scripts/sent.js";
import { say } from "../scripts/sentences.js";

// pixels from the window's edge at which the words of a page begin at the latest, however large it is
const CHIPS_AT = 138;
const AROUND = 9; // pixels by which what marks a row stands out of it
const MAP = 30; // pixels under a board of which not all has room
// pixels of a window in which ribbons over so many words are lower and lower; in the higher one, a board under other
// pictures has no room for them
const [LOW, LOWEST, MANY] = [800, 740, 7];
const NAMES = 14; // and around names of V's rows
// pixels that what is said of a cell takes under a step that is presented, and with which what is new has room, too
const [EXPLAINED, LESS] = [68, 40];
const SPARED = 60; // pixels of a dock that a layout keeps free, where its room is spoken for
const BESIDE = 24; // pixels beside what is brought into view
const GAP = 6; // pixels of Streamlit's under a step that is asked
const END = 78; // pixels at the right end of words that are kept free for the way out of a presentation
const { ADDED_TO_SCORES, MASK } = CONSTANTS;

export class Assembly {
  constructor(/** @type {Board} */ board) {
    this.board = board;
    this.laid = ""; // the room in which everything was placed
    /** @type {number | null} */
    this.reached = null; // how many matrices there were when the board was built last
  }

  // The matrices that have a place: of scores and scaled scores one, as long as not all are asked for.
  get placed() {
    const { board } = this;
    const names = [...board.data.shown, ...(board.data.ghosts ?? [])];
    // a story has room for both
    const both = names.includes("scores") && names.includes("scaled_scores") && !board.all && !board.story.told;
    const out = [...(both ? [board.scaled ? "scores" : "scaled_scores"] : []),
      ...ADDED_TO_SCORES.filter((name) => !(board.all || (name === MASK && this.showsMask)))];
    return names.filter((name) => !out.includes(name));
  }

  // A mask that comes on moves no matrix: it hatches cells, and has a place where all stages are asked for, or where it
  // is painted.
  get showsMask() {
    const { all, data } = this.board;
    return all || data.paints;
  }

  // How much room there is: what is left of the window under the board's upper edge, before anything is scrolled.
  /** @returns {Room} */
  get room() {
    const { board, hall, ribbons } = this;
    const { labels, keys, features, sentence, ofNow, tells } = board.data;
    const words = wordsOf(board.data);
    const { width } = board.root.getBoundingClientRect();
    const { top, height: high } = board.host.room();
    const zoom = width / (board.root.offsetWidth || width || 1) || 1; // what is not on the page yet has no width
    const inside = width / zoom;
    const column = tells && (board.telling.texts.length || !tells.presents); // else a lecture room has all of it
    const left = (high - top) / zoom;
    const above = tells && board.telling.above ? board.telling.heightAbove(inside, left) : 0;
    const height = left - 8 - above - board.strip.height;
    return {
      width: inside, height, tokens: Math.max(labels.length, keys.length), named: features?.length ?? 0, sentence,
      saysBelow: sentence && board.data.says !== false && (hall ? !this.besideInHall : saysBelow(words, inside)),
      tells: column ? leftFor(inside, tells.presents) : 0, words: lengthOf(words, 1), ribbons, hall, zoom,
      labels: board.explores ? labelsOf([...labels, ...keys]) : undefined,
      kept: numbersFirst(board.data) ? END / zoom : 0,
      ...(board.explores || board.data.folds ? { folds: Object.fromEntries(board.folds) } : {}),
      ...(ofNow && !tells?.presents ? { arcs: Math.max(0, CHIPS_AT - top) } : {}),
    };
  }

  // Whether a lecture room has all that is read beside the words.
  get besideInHall() {
    const { data, root } = this.board;
    return data.ribbons === null
      && lengthOf(wordsOf(data), PRESENTED.letters) + SAYS < root.offsetWidth;
  }

  // The room for ribbons: less on a board that stands beside something else, or in a low window, whose rows need what
  // many words leave. A lecture room has some on the board of Explore.
  get ribbons() {
    const { data, explores, host } = this.board;
    const { bottom } = host.view();
    if (this.hall) return explores && data.ribbons === null ? RIBBONS.hall : RIBBONS.none;
    if (data.tells?.presents && data.ribbons === false) return RIBBONS.none; // words have the room
    const many = data.labels.length > MANY;
    if (many && bottom < LOWEST) return RIBBONS.lowest;
    return data.ofNow === false || (many && bottom < LOW) ? RIBBONS.low : RIBBONS.whole;
  }

  // Whether matrices need the words' room: in a lecture room, and on a low screen.
  get hall() {
    const { data: { ribbons, folds }, host } = this.board;
    const { width, bottom } = host.view();
    return ribbons === null || Boolean(folds && width > NARROW && bottom < LOW);
  }

  build(/** @type {string} */ structure) {
    const { board } = this;
    board.structure = structure;
    board.grids.clear();
    board.views.disconnect();
    board.at = board.pinned = board.drag = null;
    board.input.kept = false;
    board.scaled = Boolean(board.data.scaled);
    board.shown = board.torch; // what was shown may lack a matrix that there is now
    board.display.explainWith(board.torch);
    this.lay();
    board.motion.becomes(this.reached);
    this.reached = board.data.shown.length;
  }

  // The colours of the roles on this theme, for what is no cell.
  dress() {
    const { root, theme, data: { roles } } = this.board;
    for (const [role, tone] of Object.entries(roles)) root.style.setProperty(`--role-${role}`, tone[theme]);
    toggle(root, "dark", theme === "dark");
  }

  // Place everything anew, in the room that there is.
  lay() {
    const { board, room } = this;
    const { tells } = board.data;
    this.laid = roomKey(room);
    this.dress();
    board.grids.clear();
    board.views.disconnect();
    toggle(board.root, "silent", board.data.says === false);
    const asked = Boolean(tells?.presents && !board.telling.texts.length); // what the step is about
    const empty = asked || Boolean(tells?.presents && !board.data.shown.length);
    const large = document.documentElement.hasAttribute("data-presents");
    toggle(board.root, "filled", large && numbersFirst(board.data) && (Boolean(board.data.store) || empty));
    toggle(board.root, "unread", board.data.ribbons === false || room.hall);
    toggle(board.sentence.ribbons, "gone", board.data.ribbons === false);
    board.strip.build();
    if (board.story.takes(room)) return board.story.lay(room);
    // A screen that is too narrow for the spine has the words alone, as long as no matrix is reached.
    const placed = room.width < NARROW && !board.data.shown.length && !tells?.presents ? [] : this.placed;
    const stages = [...board.stages.values()];
    const chosen = board.data.ribbons === null && !board.all && placed.length > 0;
    const said = room.saysBelow ? saysOf(room.width, true) : 0;
    const hallWith = (/** @type {number} */ kept) =>
      inHall(stages, board.torch, placed, { ...room, height: room.height - kept }, said, this.longest);
    // What is new in a step stands beside what it is made of.
    const about = (board.data.fresh ?? []).flatMap((name) => [name, ...board.stages.get(name).sources])
      .filter((name) => placed.includes(name));
    const inView = (/** @type {{ seen: string[] }} */ hall) => about.every((name) => hall.seen.includes(name));
    const kept = asked ? [GAP] : tells ? [EXPLAINED, LESS] : [0];
    const halls = chosen ? kept.map(hallWith) : [{ seen: placed, named: 0, room }];
    const { seen, named, room: own } = halls.find(inView) ?? halls[0];
    Object.assign(room, own);
    toggle(board.root, "counted", room.hall && room.ribbons > 0);
    const within = (/** @type {number} */ height) =>
      layoutOf(stages, board.torch, seen, { ...room, height, width: room.width - named });
    board.layout = within(room.height + (tells?.presents && chosen ? SPARED : 0));
    toggle(board.root, "lean", room.lean ?? false);
    if (tells?.presents && board.layout.width > room.width - room.tells) { // it stands above
      room.tells = 0;
      const above = board.telling.above ? 0 : board.telling.heightAbove(room.width, room.height);
      board.layout = within(room.height - above);
    }
    if (board.layout.width > room.width) board.layout = within(room.height - MAP);
    const edge = Math.max(board.layout.width, room.width - room.tells);
    board.titles = titlesOf(board.layout, stages, (stage) => board.featuresOf(stage).length > 0, edge,
      board.frame.leads && !board.frame.spared ? board.all : null);
    board.root.style.setProperty("--s", String(board.layout.scale));
    board.spine.style.setProperty("--past", `${board.layout.width - edge}px`);
    Object.assign(board.spine.style,
      { height: `${board.layout.height}px`, width: `${Math.max(board.layout.width, 1)}px`,
        marginLeft: `${room.tells}px` });
    // What isn't reached yet has its place alone.
    for (const name of seen) if (board.layout.boxes[name] && !board.data.ghosts?.includes(name)) this.grid(name);
    if (room.sentence) board.sentence.build(board.layout, room);
    board.play.place(room);
    board.frame.build(edge);
    board.flow.build();
    board.plane.build(board.layout);
    board.telling.build(room);
    const { above, element: told } = board.telling;
    const [over, beside] = [above ? [told] : [], above ? [] : [told]];
    const cells = [...board.grids.values()].map(({ matrix }) => matrix);
    const { flow, frame, plane, play, ruler, undo } = board;
    board.spine.replaceChildren(
      frame.band, flow.lines, ...cells, frame.veil, flow.bands, ...frame.elements, ...beside,
      play.layer, ruler.element, undo.element,
    );
    const lies = make("div", "lies", plane.elements);
    lies.style.marginLeft = `${room.tells}px`;
    const scroller = make("div", "scroller", [board.spine]);
    toggle(board.root, "framed", board.data.framed);
    board.root.replaceChildren(...over, ...(room.sentence ? [board.sentence.element] : []), ...board.strip.elements,
      ...(board.data.framed ? [framesMean()] : []), lies, scroller,
      this.map(scroller), board.panel.element);
    for (const name of board.layout.foldable) this.fold(name);
    board.undo.follow();
    this.bring(scroller);
  }

  // How wide the names of V's rows are in a lecture room, with what is around them.
  get longest() {
    const { board } = this;
    return board.explores ? Math.max(...widthsOf(board.data.keys, board)) / board.layout.scale + NAMES : 0;
  }

  // What is folded is one thing to press, which opens it; the title of what may be folded is the way back.
  fold(/** @type {string} */ name) {
    const { board } = this;
    const grid = board.grids.get(name);
    if (!grid) return;
    const folded = board.layout.folded.includes(name);
    const title = say(folded ? "board.fold.open" : "board.fold.shut", { title: grid.stage.title });
    const way = button(folded ? "unfold" : "refold", "", () => {
      board.folds.set(name, !folded);
      this.again();
      board.grids.get(name)?.matrix.querySelector("button")?.focus();
    }, { "aria-expanded": String(!folded), "aria-label": title, title });
    if (folded) put(way, grid.box);
    else way.append(...grid.title.childNodes);
    (folded ? grid.matrix : grid.title).append(way);
    toggle(grid.matrix, "folded", folded);
    grid.element.inert = folded;
  }

  // Where not all has room: all that there is in small, and which part of it is seen; a press leads to another.
  map(/** @type {HTMLElement} */ scroller) {
    const { layout: { boxes, width, height }, stages } = this.board;
    const map = drawn("svg", "map", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", ...UNSEEN });
    const seen = drawn("rect", "seen", { height });
    map.append(...Object.entries(boxes).map(([name, { x, y, width: wide, height: high }]) =>
      drawn("rect", `role-${stages.get(name).role}`, { x, y, width: wide, height: high })), seen);
    map.onpointerdown = map.onpointermove = ({ offsetX, buttons }) => {
      if (buttons) scroller.scrollLeft = (offsetX / map.clientWidth) * width - scroller.clientWidth / 2;
    };
    const show = () => {
      const { scrollLeft, scrollWidth, clientWidth } = scroller;
      toggle(scroller, "more-left", scrollLeft > 1);
      toggle(scroller, "more-right", scrollLeft + clientWidth < scrollWidth - AROUND);
      write(seen, "x", String(scrollLeft));
      write(seen, "width", String(clientWidth));
    };
    scroller.onscroll = show;
    requestAnimationFrame(show);
    return map;
  }

  // Where not all has room, what is new comes into view.
  bring(/** @type {HTMLElement} */ scroller) {
    const { board } = this;
    const fresh = (board.data.fresh ?? []).flatMap((name) => board.layout.boxes[name] ?? []);
    if (fresh.length) scroller.scrollLeft =
      Math.max(...fresh.map(({ x, width }) => x + width)) + BESIDE - scroller.clientWidth;
  }

  resize() {
    const { board } = this;
    if (!board.structure || !board.root.isConnected || board.drag || board.input.typing
      || roomKey(this.room) === this.laid) return;
    this.again();
  }

  // The same in the room that there is now.
  again() {
    const { all, display } = this.board;
    display.showAs({ all });
  }

  grid(/** @type {string} */ name) {
    const { board } = this;
    const { torch: { [name]: { rows, columns } }, layout: { boxes: { [name]: box } } } = board;
    // As cells, or, where it has too many, as colours alone.
    const grid = new (Math.max(rows, columns) > CONSTANTS.FITS ? CanvasGrid : Grid)(board, name, box);
    board.grids.set(name, grid);
    board.views.observe(grid.element);
  }
}

// What the frames of matrices mean.
function framesMean() {
  const each = (/** @type {string} */ origin) =>
    make("span", origin, [make("span", "grid"), say(`board.legend.${origin}`)]);
  return make("div", "frames", [each("learned"), each("computed"), say("board.legend.input")]);
}

function roomKey(/** @type {Room} */ room) {
  return JSON.stringify({ ...room, width: Math.round(room.width), height: Math.round(room.height) });
}
