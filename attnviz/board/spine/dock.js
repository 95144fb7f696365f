// The dock below the matrices: what the cell pointed at means, how it is computed, and where it is used next.

import { difference, isLarge, matrixByMatrix } from "../values/difference.js";
import { AGES, ageOf } from "../cells/cell.js";
import { button, make, setText, toggle } from "../cells/elements.js";
import { short } from "../values/numbers.js";
import { explain, inOneSentence, placeInWords, whatIsNext } from "../values/explain.js";
import { addressOf } from "../places.js";
import { say } from "../../scripts/sentences.js";

/** @import { Found } from "../values/difference.js" */

const LARGE = 1000; // a number at least this large is shown together with its difference to torch's
const SLICE_MS = 8; // longest run of comparing numbers before other work gets its turn

/** @typedef {[text: string, act: () => void]} Offer a button's text and action */

export class Dock {
  constructor(/** @type {Board} */ board) {
    this.board = board;
    /** @type {Place[]} */
    this.trail = []; // the cells from which the reader stepped to sources ...
    this.reached = ""; // ... and the address of the cell reached
    this.key = ""; // identifies the buttons shown
    this.message = make("div", "message");
    this.sentence = make("b");
    this.numbers = make("span", "numbers");
    this.words = make("span", "words");
    this.steps = make("div", "steps");
    /** @type {(() => void) | null} */
    this.stop = null; // ends a running comparison of numbers
    this.says = make("summary");
    this.more = make("div");
    this.status = make("div", "status", [make("details", "", [this.says, this.more])]);
    const first = make("div", "first", [make("div", "made", [this.sentence, this.numbers]), this.steps]);
    const second = make("div", "second", [this.words, this.status, board.keys.button]);
    this.keep = button("", "",
      () => (this.kept ? board.sender.page?.go("compare") : board.sender.send({ open: "keep" })));
    const heatmaps = button("", say("board.views.heatmaps"), () => board.sender.send({ view: "heatmaps" }));
    const views =
      make("div", "views", [this.keep, heatmaps, button("", say("board.views.what_if"), () => askWhatIf(board))]);
    this.element = make("div", "panel", [this.message, first, second, views], { role: "status" });
  }

  // Take Play's controls, which have no place beside the sentence.
  hold(/** @type {HTMLElement} */ controls) {
    if (controls.nextSibling !== this.status) this.status.before(controls);
  }

  say(/** @type {string} */ text) {
    setText(this.message, text);
  }

  // Whether a set-up is kept as A, to be compared with this one.
  get kept() {
    return this.board.sender.textOf("pinned") !== "";
  }

  showKept() {
    setText(this.keep, say(`board.views.${this.kept ? "kept" : "keep"}`));
    toggle(this.keep, "kept", this.kept);
  }

  /** @param {Place | null} place @param {Place[][]} sources */
  show(place, sources) {
    toggle(this.board.root, "explored", this.board.explores);
    this.showKept();
    // Questions leave out the button for the list of keys; the key ? opens it all the same.
    toggle(this.board.keys.button, "gone", Boolean(this.board.data.store));
    const [sentence, numbers, words] = this.textsOf(place, sources);
    setText(this.sentence, sentence);
    setText(this.words, words);
    const roles = sources.flatMap(([first]) => (first ? [this.board.stage(first).role] : []));
    if (this.numbers.textContent !== numbers) this.numbers.replaceChildren(...inColours(numbers, roles));
    const offered = place ? this.offered(place, sources) : [];
    const key = JSON.stringify([place, offered.map(([text]) => text)]);
    if (key === this.key) return; // so that a focused button keeps the focus
    this.key = key;
    this.steps.replaceChildren(...offered.map(([text, act]) => button("", text, act)));
  }

  // Three texts on a cell: what it means, its arithmetic, and how it is computed; without a cell, what the reader can
  // do.
  /** @param {Place | null} place @param {Place[][]} sources */
  textsOf(place, sources) {
    const { board } = this;
    const { trace, data: { store, fixed, features } } = board;
    const told = board.root.classList.contains("narrow") ? "story" : "panel"; // words for touch, or mouse and keys
    if (place) {
      const said = explain(trace, place);
      const given = !said.symbols.includes(" = ");
      const editable = board.isEditable(place) ? told : "";
      const words = sentences(said, editable, notShown(trace, sources), whatIsNext(trace, place));
      const age = ageOf(board.data, place.matrix, place.row);
      const aged = age ? ` ${AGES[age]} ${say(`board.age.${age}`)}` : "";
      const joint = said.symbols.includes("−∞") ? " " : " = ";
      const numbers = given ? said.name : said.symbols + joint + said.numbers;
      return [inOneSentence(trace, place, features) + aged, numbers, words];
    }
    if (!trace.shown.length) return ["", "", ""];
    const how = fixed ? "board.panel.counted" : `board.${told}.how`;
    const first = board.ruler.first && board.explores; // newcomers only see what the ruler suggests
    const acts = board.story.isShown && board.explores; // the story's buttons take that room
    return [store || (first && told === "story") ? "" : say(`board.${told}.point`), "",
      store || first || acts ? "" : say(how)];
  }

  // Describe a matrix, and what its rows and columns stand for.
  describe(/** @type {Stage} */ stage) {
    const { rows, columns } = this.board.torch[stage.name];
    this.showText(stage.plain, "", say("board.dock.matrix", { title: stage.title, rows, columns, axes: stage.axes }));
  }

  // Show a text that isn't about a cell, without buttons.
  /** @param {string} sentence @param {string} numbers @param {string} words */
  showText(sentence, numbers, words = "") {
    setText(this.sentence, sentence);
    setText(this.numbers, numbers);
    setText(this.words, words);
    this.key = "";
    this.steps.replaceChildren();
  }

  // Report whose numbers are shown, and whether torch's and the page's agree. On a board that can't be edited, or with
  // very many numbers, the comparison runs in slices after everything is painted, so as not to delay that.
  report() {
    const { drag, settled, data, trace, given } = this.board;
    this.stop?.();
    if (!data.shown.length) this.tellStatus("", "", false); // without numbers there is nothing to check
    else if (!settled) this.tellStatus(this.whoseNumbers(drag !== null), "", false);
    else if (data.fixed || isLarge(trace)) this.checkLater();
    else this.tellFound(trace, difference(trace, given));
  }

  checkLater() {
    const { trace, given } = this.board;
    const looking = matrixByMatrix(trace, given);
    /** @type {ReturnType<typeof setTimeout>} */
    let next;
    const look = () => {
      const end = performance.now() + SLICE_MS;
      let step = looking.next();
      while (!step.done && performance.now() < end) step = looking.next();
      if (step.done) this.tellFound(trace, step.value);
      else next = setTimeout(look);
    };
    const frame = requestAnimationFrame(() => (next = setTimeout(look)));
    this.stop = () => {
      cancelAnimationFrame(frame);
      clearTimeout(next);
    };
  }

  /** @param {Trace} trace @param {Found} found */
  tellFound(trace, found) {
    this.stop = null;
    if (found.unexplained) this.tellStatus(alarmOf(trace, found), "", true);
    else this.tellStatus(this.board.host.whose?.(true) ?? say(`board.status.checked${this.unheard}`),
      [differenceOf(found), found.looked < found.cells ? say("board.status.looked", { looked: found.looked,
        n: found.cells }) : ""].filter(Boolean).join(" "), false);
  }

  // An ending for the key of the status text if Python hasn't drawn the page's query although torch's numbers are
  // shown: an edit's numbers come by a request of their own, and picking a token needs none. "" if it has, or soon
  // will.
  get unheard() {
    const { sender } = this.board;
    if (!sender.waiting) return "";
    return sender.away ? "_offline" : sender.late ? "_late" : "";
  }

  /** @param {string} text @param {string} more @param {boolean} alarm */
  tellStatus(text, more, alarm) {
    const { ruler, explores, data: { fixed, store } } = this.board;
    if (!alarm && ruler.first && explores) more = ""; // newcomers have enough to read
    if (!alarm && fixed && store) text = more = ""; // readers who are predicting need no status
    setText(this.says, text);
    setText(this.more, more);
    this.status.hidden = !text;
    this.status.setAttribute("role", alarm ? "alert" : "note");
    toggle(this.status, "alarm", alarm);
    toggle(this.status, "plain", !more);
  }

  whoseNumbers(/** @type {boolean} */ drag) {
    if (this.board.sender.away) return say("board.status.offline");
    const older = this.board.data.shown.filter((name) => this.board.older.has(name))
      .map((name) => this.board.stages.get(name).symbol);
    if (older.length) return say("board.status.older", { symbols: older.join(", ") });
    const whose = this.board.host.whose?.(false);
    if (whose) return whose;
    if (drag) return say("board.status.preview");
    return say(this.board.sender.late ? "board.status.late" : "board.status.waiting");
  }

  /** @param {Place} place @param {Place[][]} sources */
  offered(place, sources) {
    const { board } = this;
    // A weight reads a whole row of scores: its button leads to the score of the same key. Others lead to the first
    // cell of each source.
    const first = board.stage(place).is.shares ? place.column : 0;
    const onBoard = sources.flatMap((block) => block[first] ?? []).filter((source) => board.isShown(source));
    /** @type {Offer[]} */
    const offered = onBoard.map((source) => [
      say("board.panel.go_to", { symbol: board.stage(source).symbol }), () => this.stepTo(source, place),
    ]);
    if (this.trail.length
      && this.reached === addressOf(place)) offered.push([say("board.panel.back"), () => this.stepBack()]);
    // The button disappears when pressed, so the cell gets its focus.
    const back = (/** @type {() => void} */ act) => () => {
      act();
      board.focus(place);
    };
    const pinned = board.pointing.isPinned(place);
    offered.push([say(pinned ? "board.panel.unpin" : "board.panel.pin"),
      back(() => (pinned ? board.pointing.unpin() : board.pointing.pin(place)))]);
    if ((board.explores || board.data.store) && board.stage(place).role === "a") offered.push(...this.looks(back));
    if (board.host.bringPanel && board.data.whatIf?.includes(place.matrix)) offered.push([say("board.panel.what_if"),
      () => this.askWhatIf(place)]);
    if (board.isEditable(place)
      && board.isEdited(place)) offered.push([say("board.panel.reset"), back(() => board.editing.reset(place))]);
    return offered;
  }

  // Buttons for other views of scores and weights.
  /** @param {(act: () => void) => () => void} back @returns {Offer[]} */
  looks(back) {
    const { board } = this;
    const whole = say(board.wholeScale ? "board.legend.to_largest" : "board.legend.to_one");
    return [
      ...(board.frame.leads ? [/** @type {Offer} */ ([board.frame.leadsTo, back(() =>
        board.display.showAs({ all: !board.all }))])] : []),
      [whole, back(() => board.display.showAs({ wholeScale: !board.wholeScale }))],
    ];
  }

  // Open What if with this cell pinned, so that it stays explained.
  askWhatIf(/** @type {Place} */ place) {
    const { board } = this;
    if (!board.pointing.isPinned(place)) board.pointing.pin(place);
    askWhatIf(board);
  }

  /** @param {Place} source @param {Place} from */
  stepTo(source, from) {
    this.arriveAt(from);
    this.trail.push(from);
    this.goTo(source);
  }

  stepBack() {
    const place = this.trail.pop();
    if (place) this.goTo(place);
  }

  goTo(/** @type {Place} */ place) {
    const { board } = this;
    this.reached = addressOf(place);
    board.pointing.pin(board.pinned && place); // the pin moves along
    board.focus(place);
    board.input.kept = true;
  }

  // Forget the trail if the reader reached this cell in another way than by stepping.
  arriveAt(/** @type {Place} */ place) {
    if (this.reached !== addressOf(place)) this.leaveTrail();
  }

  leaveTrail() {
    this.trail = [];
    this.reached = "";
  }

  takeFocus() {
    const first = this.steps.firstChild;
    if (first instanceof HTMLElement) first.focus();
  }
}

/** @param {Pick<Explained, "words" | "notes">} said
 *  @param {string} editable room of the words on how to change the number; "" if it can't be @param {string} absent
 *  @param {string} next */
function sentences({ words, notes }, editable, absent, next) {
  const how = say("explanation.only", { words });
  return [editable ? say(`board.${editable}.changeable`, { words: how }) : how, ...notes, absent, next].filter(Boolean)
    .join(" ");
}

// Open the panel What if, which Python draws at the foot of the window.
function askWhatIf(/** @type {Board} */ board) {
  board.sender.send({ open: "what_if" });
  board.host.bringPanel?.(board);
}

// The note on matrices that an explanation names and that aren't on the page; "" if all are.
/** @param {Pick<Trace, "stages" | "shown">} trace @param {Place[][]} sources */
function notShown({ stages, shown }, sources) {
  const read = new Set(sources.flat().map(({ matrix }) => matrix));
  const symbols = [...read].filter((name) => !shown.includes(name)).map((name) => stages.get(name).symbol);
  const last = symbols.pop();
  if (last === undefined) return "";
  if (symbols.length) return say("board.panel.not_shown_several", { symbols: symbols.join(", "), last });
  return say("board.panel.not_shown", { symbol: last });
}

const PRODUCT = /(\(?−?[\d.][\de−.]*\)?)( × )(\(?−?[\d.][\de−.]*\)?)/g;

// The arithmetic with coloured factors: the first of each product in the colour of the left matrix's role, the second
// in that of the right one's.
/** @param {string} text @param {string[]} roles */
function inColours(text, [left, right]) {
  if (!left || !right) return [text];
  /** @type {(string | HTMLElement)[]} */
  const parts = [];
  let done = 0;
  for (const found of text.matchAll(PRODUCT)) {
    const [whole, first, times, second] = found;
    parts.push(text.slice(done, found.index), make("i", `role-${left}`, [first]), times,
      make("i", `role-${right}`, [second]));
    done = found.index + whole.length;
  }
  return [...parts, text.slice(done)];
}

function differenceOf(/** @type {{ largest: number, within: number }} */ { largest, within }) {
  const size = largest === 0 ? "0" : short(largest);
  if (Math.abs(within) < LARGE) return say("board.status.difference", { size });
  return say("board.status.difference_within", { size, within: short(within) });
}

/** @param {Trace} trace @param {{ largest: number, unexplained: Place | null }} found */
function alarmOf(trace, { largest, unexplained }) {
  const where = unexplained ? placeInWords(trace, unexplained) : "";
  const told = largest > 0 && Number.isFinite(largest);
  return told ? say("board.status.wrong_by", { size: short(largest), where }) : say("board.status.wrong", { where });
}
