// Builds the whole board: lays out all matrices, and what stands around them, in the available room.

import { CanvasGrid } from "./cells/canvas_grid.js";
import { button, drawn, make, put, toggle, UNSEEN, write } from "./cells/elements.js";
import { Grid, widthsOf } from "./cells/grid.js";
import { inHall, numbersFirst } from "./spine/hall.js";
import { labelsOf, layoutOf, PRESENTED, RIBBONS, saysOf } from "./spine/layout.js";
import { titlesOf } from "./spine/plan.js";
import { NARROW } from "./story/story_layout.js";
import { leftFor } from "./spine/lesson_text.js";
import { lengthOf, SAYS, saysBelow, wordsOf } from "./spine/words.js";
import { CONSTANTS } from "../scripts/sent.js";
import { say } from "../scripts/sentences.js";

// On a page of the app, the words begin at most this many pixels below the window's upper edge, however large the board
// is drawn.
const CHIPS_AT = 138;
const AROUND = 9; // pixels by which the band of the picked row sticks out
const MAP = 30; // pixels: the height of the small map below a board that is wider than its room
// Windows lower than this many pixels have lower ribbons once there are more than MANY tokens. Below the first height,
// boards that fold have no ribbons at all, because other pictures stand above them.
const [LOW, LOWEST, MANY] = [800, 740, 7];
const NAMES = 14; // pixels around the names of V's rows
// Pixels kept free below a board that is presented: normally for the explanation of a cell, but less where the matrices
// that are new in the step would have no room otherwise.
const [EXPLAINED, LESS] = [68, 40];
// pixels that layoutOf keeps free for the dock; EXPLAINED or LESS has reserved these already
const SPARED = 60;
const BESIDE = 24; // pixels to the right of a matrix that is scrolled into view
const GAP = 6; // pixels of Streamlit's gap below a step that asks for a prediction
const END = 78; // pixels kept free at the right of the words for the button that ends a presentation
const { ADDED_TO_SCORES, MASK } = CONSTANTS;

export class Assembly {
  constructor(/** @type {Board} */ board) {
    this.board = board;
    this.laid = ""; // a key for the room in which everything was laid out last
    /** @type {number | null} */
    this.reached = null; // how many matrices were shown when the board was last built
  }

  // The matrices that get a place. Scores and scaled scores share one, unless the reader asks for all stages.
  get placed() {
    const { board } = this;
    const names = [...board.data.shown, ...(board.data.ghosts ?? [])];
    // a story has room for both
    const both = names.includes("scores") && names.includes("scaled_scores") && !board.all && !board.story.isShown;
    const out = [...(both ? [board.scaled ? "scores" : "scaled_scores"] : []),
      ...ADDED_TO_SCORES.filter((name) => !(board.all || (name === MASK && this.showsMask)))];
    return names.filter((name) => !out.includes(name));
  }

  // Whether the mask has a place of its own: only if the reader asks for all stages, or paints the mask. Otherwise a
  // mask that is switched on just hatches cells, and no matrix moves.
  get showsMask() {
    const { all, data } = this.board;
    return all || data.paints;
  }

  // The available room: the part of the window below the board's upper edge, as if nothing were scrolled.
  /** @returns {Room} */
  get room() {
    const { board, hall, ribbons } = this;
    const { labels, keys, features, sentence, isCurrent, tells } = board.data;
    const words = wordsOf(board.data);
    const { width } = board.root.getBoundingClientRect();
    const { top, height: high } = board.host.room();
    // an element that isn't on the page yet has no width
    const zoom = width / (board.root.offsetWidth || width || 1) || 1;
    const inside = width / zoom;
    // a presented step without a text leaves the whole width to the matrices
    const column = tells && (board.telling.texts.length || !tells.presents);
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
      ...(isCurrent && !tells?.presents ? { arcs: Math.max(0, CHIPS_AT - top) } : {}),
    };
  }

  // Whether, in a lecture room, the sentence about what is read fits beside the words.
  get besideInHall() {
    const { data, root } = this.board;
    return data.ribbons === null
      && lengthOf(wordsOf(data), PRESENTED.letters) + SAYS < root.offsetWidth;
  }

  // The height of the ribbons. They're lower on a board that stands beside something else, and in a low window with
  // many words, whose rows need the height. In a lecture room, only the board of Explore has them.
  get ribbons() {
    const { data, explores, host } = this.board;
    const { bottom } = host.view();
    if (this.hall) return explores && data.ribbons === null ? RIBBONS.hall : RIBBONS.none;
    if (data.tells?.presents && data.ribbons === false) return RIBBONS.none; // the words need the room
    const many = data.labels.length > MANY;
    if (many && bottom < LOWEST) return RIBBONS.lowest;
    return data.isCurrent === false || (many && bottom < LOW) ? RIBBONS.low : RIBBONS.whole;
  }

  // Whether matrices get the room of the words: in a lecture room, and on a low screen.
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
    // the matrices that were shown may lack one of the new ones
    board.shown = board.torch;
    board.display.explainWith(board.torch);
    this.lay();
    board.motion.becomes(this.reached);
    this.reached = board.data.shown.length;
  }

  // Set the theme's colours of the roles, for elements other than cells.
  dress() {
    const { root, theme, data: { roles } } = this.board;
    for (const [role, tone] of Object.entries(roles)) root.style.setProperty(`--role-${role}`, tone[theme]);
    toggle(root, "dark", theme === "dark");
  }

  // Place everything anew, in the available room.
  lay() {
    const { board, room } = this;
    const { tells } = board.data;
    this.laid = roomKey(room);
    this.dress();
    board.grids.clear();
    board.views.disconnect();
    toggle(board.root, "silent", board.data.says === false);
    // whether the step asks for a prediction first
    const asked = Boolean(tells?.presents && !board.telling.texts.length);
    const empty = asked || Boolean(tells?.presents && !board.data.shown.length);
    const large = document.documentElement.hasAttribute("data-presents");
    toggle(board.root, "filled", large && numbersFirst(board.data) && (Boolean(board.data.store) || empty));
    toggle(board.root, "unread", board.data.ribbons === false || room.hall);
    toggle(board.sentence.ribbons, "gone", board.data.ribbons === false);
    board.strip.build();
    if (board.story.takes(room)) return board.story.lay(room);
    // On a screen too narrow for the spine, only the words are shown until a matrix is reached.
    const placed = room.width < NARROW && !board.data.shown.length && !tells?.presents ? [] : this.placed;
    const stages = [...board.stages.values()];
    const chosen = board.data.ribbons === null && !board.all && placed.length > 0;
    const said = room.saysBelow ? saysOf(room.width, true) : 0;
    const hallWith = (/** @type {number} */ kept) =>
      inHall(stages, board.torch, placed, { ...room, height: room.height - kept }, said, this.longest);
    // The matrices that are new in a step should be in view together with those that they are made from.
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
    // so what the step tells stands above the board
    if (tells?.presents && board.layout.width > room.width - room.tells) {
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
    // A matrix that isn't reached yet keeps its place, but stays empty.
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

  // The width of the names of V's rows in a lecture room, with the gaps around them.
  get longest() {
    const { board } = this;
    return board.explores ? Math.max(...widthsOf(board.data.keys, board)) / board.layout.scale + NAMES : 0;
  }

  // Give a matrix that may be folded its button: a folded one opens when it's pressed anywhere, an open one folds when
  // its title is pressed.
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

  // A small map of the whole board, for a board that doesn't fit. It marks the part that is in view; a press scrolls to
  // another part.
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

  // Scroll to what is new in this step, if not everything fits.
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

  // Draw the same board in the room that it has now.
  again() {
    const { all, display } = this.board;
    display.showAs({ all });
  }

  grid(/** @type {string} */ name) {
    const { board } = this;
    const { torch: { [name]: { rows, columns } }, layout: { boxes: { [name]: box } } } = board;
    // A grid of cells, or, for a matrix that has too many of them, a canvas of colours.
    const grid = new (Math.max(rows, columns) > CONSTANTS.FITS ? CanvasGrid : Grid)(board, name, box);
    board.grids.set(name, grid);
    board.views.observe(grid.element);
  }
}

// The legend of the frames around matrices.
function framesMean() {
  const each = (/** @type {string} */ origin) =>
    make("span", origin, [make("span", "grid"), say(`board.legend.${origin}`)]);
  return make("div", "frames", [each("learned"), each("computed"), say("board.legend.input")]);
}

function roomKey(/** @type {Room} */ room) {
  return JSON.stringify({ ...room, width: Math.round(room.width), height: Math.round(room.height) });
}
