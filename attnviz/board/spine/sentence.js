// The sentence: a chip for each token, ribbons from the picked one to those that it reads, and below each chip its
// attention weight. Readers pick tokens here, and see at a glance what the picked one reads.

import { KEYS, press } from "../keys.js";
import { areMixed, colourAs, ownerOf } from "../cells/cell.js";
import { button, drawn, ledTo, make, put, setText, toggle, UNSEEN, write } from "../cells/elements.js";
import { ofHead } from "../places.js";
import { readBy, readsInPercent } from "../values/most_read.js";
import { percent, points, unbroken } from "../values/numbers.js";
import { BETWEEN, ReadWords, SAYS as BESIDE, sharesOf, WEIGHTS, wordsIn, wordsOf } from "./words.js";
import { numbersFirst } from "./hall.js";
import { PRESENTED, RIBBONS, saysOf } from "./layout.js";
import { EDGE, GROUPS, LOOP, merged, ribbonsOf } from "./ribbons.js";
import { SentenceTools, toolsAt } from "./sentence_tools.js";
import { WordKinds } from "./word_kinds.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";
import { shortcutsOf } from "../../scripts/shortcuts.js";

/** @typedef {"share" | "before" | "first" | "second"} Drawn kinds of ribbons: of the head in view, of the same before
 *  a drag, and of two other heads */

/** @type {Drawn[]} */
const OTHERS = ["first", "second"];
const NONE = { share: false, before: false, first: false, second: false };
// Pixels of the summary of what is read. `high` is its height, `large` that on an enlarged board, and `higher` that of
// a summary narrower than `narrow`. It may begin `over` pixels above the ribbons' area, or has to begin `tools` pixels
// below its top if the tools are there.
const SAYS = { high: 76, large: 78, higher: 88, narrow: 420, over: 4, tools: 34 };
const FITS = ["0.85", "0.75", "0.6"]; // factors for the summary's font size, tried until it fits
const PLAY = 118; // pixels that Play takes beside the summary while presenting ...
const NARROW = 300; // ... unless the board is narrower than this
// screen pixels: the smallest letters of chips; if they still don't fit, the chips scroll
const SMALLEST = 10;

export class Sentence {
  /** @param {Pick<Board, "assembly" | "base" | "byReaders" | "data" | "display" | "explores" | "host" | "key" | "trace"
   *  | "picked" | "picking" | "plane" | "planeOver" | "query" | "root" | "ruler" | "sender" | "settled" | "shown"
   *  | "stages" | "story" | "strip">} board */
  constructor(board) {
    this.board = board;
    this.ribbons = drawn("svg", "ribbons", UNSEEN);
    this.strip = make("div", "strip", [], { role: "radiogroup",
      "aria-label": say("board.chips.pick"), "aria-keyshortcuts": shortcutsOf("readers") });
    this.what = make("span", "what", [say("board.sentence.what")]);
    this.reads = make("b");
    this.even = make("span", "even");
    this.about = make("span", "about");
    this.kinds = new WordKinds(board, () => this.show());
    this.says = make("div", "says", [this.what, this.reads, this.even, " ", this.about, " ", this.kinds.element],
      { role: "status" });
    this.tools = new SentenceTools(this);
    this.element = make("div", "sentence", [this.strip, this.says, this.tools.element]);
    /** @type {HTMLButtonElement[]} */
    this.chips = [];
    /** @type {HTMLElement[]} */
    this.shares = [];
    /** @type {Record<Drawn, SVGPathElement>[]} */
    this.paths = [];
    this.read = new ReadWords(board);
    this.drawn = { ...NONE }; // whether there are ribbons of each kind
    /** @type {{ at: number, tips: string } | null} */
    this.marked = null; // the chip that is marked as picked, and all chips' tips
    /** @type {{ row: string, key: number, now: string, told: string } | null} */
    this.changed = null; // how the last drag changed what is read most
    this.measured = 0; // the frame requested to measure whether the text fits
    /** @type {number[]} */
    this.middles = [];
    /** @type {number[]} */
    this.ends = []; // middles of the chips that are read
    this.end = 0; // right edge of the last chip
    this.by = 1; // scale of the ribbons
    this.hall = false;
    this.strip.addEventListener("keydown", (event) => press(KEYS.sentence, /** @type {Board} */ (board), event));
    this.strip.addEventListener("pointerleave", () => board.picking.preview(null));
    this.says.addEventListener("scroll", () => this.fade(), { passive: true });
  }

  /** @param {Layout} layout @param {Room} room */
  build(layout, { width, saysBelow: below, hall, ribbons, tells, zoom = 1, kept = 0 }) {
    const { data } = this.board;
    const all = wordsOf(data);
    const { scale } = layout;
    this.layout = layout;
    this.hall = hall;
    this.by = hall ? scale / 2 : scale;
    const size = hall ? PRESENTED.letters * scale : scale;
    const beside = !below && !tells && data.says !== false;
    // Only without the summary of what is read, which would make room for Play itself.
    const play = this.playsHere && data.says === false && layout.columns.length ? PLAY * scale : 0;
    const free = width - play - (beside ? (Math.max(BESIDE, this.tools.wide) + 2 * BETWEEN) * scale : kept);
    const words = this.putWords(layout, wordsIn(all, free, size, SMALLEST / zoom));
    const last = Math.max(this.middles[this.middles.length - 1], (LOOP - EDGE) * this.by);
    const left = ribbons ? Math.max(words, last + LOOP * this.by) : words; // no text stands below a ribbon
    this.putShares(layout);
    this.putRibbons(layout, this.end);
    this.strip.replaceChildren(this.ribbons, ...this.chips, ...this.read.chips, ...this.shares);
    put(this.strip, { width: Math.min(width, left), height: layout.arcs + layout.chips + layout.shares });
    toggle(this.strip, "long", this.end > width + 1);
    this.tools.build(layout, left, width, below);
    this.putSays(layout, left, width, below);
    this.drawn = { ...NONE };
    this.marked = null;
    this.mark();
  }

  // Create and place all chips side by side; return where a next one would begin.
  /** @param {Layout} layout @param {ReturnType<typeof wordsIn>} words */
  putWords({ arcs, chips }, { letters, widths, between }) {
    const { labels, others } = this.board.data;
    let left = 0;
    const stand = (/** @type {HTMLElement} */ chip, /** @type {number} */ wide) => {
      put(chip, { x: left, y: arcs, width: wide, height: chips });
      chip.style.fontSize = `${letters}px`;
      const middle = left + wide / 2;
      left += wide + between;
      return middle;
    };
    this.chips = labels.map((label, at) => this.chip(label, at));
    this.middles = this.chips.map((chip, at) => stand(chip, widths[at]));
    // Tokens of a second sentence stand behind the first one's, after a gap.
    this.read.build();
    if (others) left += widths[labels.length] + between;
    const ends = this.read.chips.map((chip, at) => stand(chip, widths[labels.length + 1 + at]));
    if (areMixed(this.board.stages.values())) this.chips.forEach(colourAs);
    this.ends = others ? ends : this.middles;
    this.end = left - between;
    return left;
  }

  /** @param {string} label @param {number} at */
  chip(label, at) {
    const chip = button("chip", label, () => this.board.picking.pick(at), { role: "radio" });
    // Only a moving pointer counts, because a new layout may bring a chip under one that rests.
    chip.onpointermove = ({ pointerType, movementX, movementY }) =>
      pointerType === "mouse" && (movementX || movementY) && this.board.picking.preview(at);
    return chip;
  }

  // Place the weights below the tokens that are read, and in cross-attention also below those that read.
  putShares(/** @type {Layout} */ { arcs, chips, scale }) {
    this.shares = [...this.ends, ...(this.board.data.others ? this.middles : [])].map((middle) => {
      const share = make("span", "share");
      put(share, { x: middle, y: arcs + chips + 2 * scale });
      return share;
    });
  }

  /** @param {Layout} layout @param {number} width */
  putRibbons({ arcs }, width) {
    const { labels, keys } = this.board.data;
    const count = Math.max(keys.length, labels.length);
    this.paths = Array.from({ length: count > CONSTANTS.FITS ? GROUPS : count }, () => ({
      before: drawn("path", "before"), share: drawn("path", "ribbon"),
      first: drawn("path", "other-0"), second: drawn("path", "other-1"),
    }));
    this.ribbons.replaceChildren(...this.paths.flatMap(({ before, share }) => [before, share]),
      ...OTHERS.flatMap((which) => this.paths.map((paths) => paths[which])));
    write(this.ribbons, "width", String(width));
    write(this.ribbons, "height", String(arcs));
  }

  // Place the summary of what is read, beside the chips or below them. It may be long: its height is limited and it
  // scrolls, so that nothing covers it.
  /** @param {Layout} layout @param {number} left @param {number} width @param {boolean} below */
  putSays(layout, left, width, below) {
    const { scale, arcs, chips, shares } = layout;
    const { data } = this.board;
    const over = data.isCurrent && !numbersFirst(data); // the tools stand below it
    const { above } = this.tools; // whether the tools stand above the summary instead
    const under = above ? arcs + chips + shares : toolsAt(layout, data.says !== false);
    const room = scale > 1 ? SAYS.large : width - left < SAYS.narrow ? SAYS.higher : SAYS.high;
    const least = above ? SAYS.tools : -SAYS.over;
    const play = this.playsHere ? PLAY * scale : 0;
    const top = over ? Math.max(least * scale, above ? 0 : under - room * scale) : arcs - scale;
    const x = left + 10 * scale;
    put(this.says, below ? { x: 0, y: arcs + chips + shares, width: width - this.tools.beside - play }
      : { x, y: top, width: width - x - play });
    const high = below ? saysOf(width, this.hall) * scale : over ? under - top : chips + shares + scale;
    this.says.style.maxHeight = `${high}px`;
    toggle(this.says, "over", Boolean(over));
    toggle(this.says, "below", below);
    this.letScroll();
    this.element.style.height = `${arcs + chips + shares + (below ? saysOf(width, this.hall) * scale : 0)}px`;
  }

  // Whether Play stands in the line of the summary of what is read: while presenting, since below the board it would be
  // out of sight. A question's boards that stand side by side have no room for it.
  get playsHere() {
    const { data, root } = this.board;
    const beside = data.store && (data.head !== null || root.offsetWidth < NARROW);
    return data.sentence && numbersFirst(data) && !beside;
  }

  // Put Play's controls into that line.
  hold(/** @type {HTMLElement} */ controls) {
    this.element.append(controls);
    controls.style.top = this.says.style.top;
  }

  // Draw the ribbons above a story's columns; `middles` are the centres of the columns.
  /** @param {number[]} middles @param {number} arcs height of the ribbons */
  arch(middles, arcs) {
    if (!this.layout) return;
    this.layout = { ...this.layout, arcs, roof: 0 };
    this.middles = this.ends = middles;
    this.by = arcs / RIBBONS.whole;
    this.putRibbons(this.layout, middles[0] + middles[middles.length - 1]);
  }

  // Mark the picked token's chip, and update the chips' tips. With hundreds of chips, unchanged ones aren't touched.
  mark() {
    const { data, picked } = this.board;
    const { marked } = this;
    const tips = JSON.stringify(data.tips);
    const same = marked?.tips === tips;
    this.marked = { at: picked, tips };
    this.chips.forEach((chip, at) => {
      if (same && at !== picked && at !== marked?.at) return;
      const on = at === picked;
      toggle(chip, "on", on);
      write(chip, "title", data.tips?.[at] ?? "");
      write(chip, "aria-checked", String(on));
      write(chip, "tabindex", on ? "0" : "-1");
    });
  }

  // The weights that a token's ribbons and chips show.
  /** @param {Matrices} matrices @param {number} token @param {string} name */
  sharesFor(matrices, token, name = WEIGHTS) {
    return sharesOf({ stages: this.board.stages, matrices }, token, name, this.board.byReaders);
  }

  show() {
    const { board } = this;
    const { shown, base, query, byReaders, key: readOf } = board;
    const token = byReaders ? readOf : query;
    const shares = this.sharesFor(shown, token);
    const before = base && this.sharesFor(base, token);
    this.draw("share", shares, token);
    this.draw("before", before ?? [], token);
    const { others } = board.strip;
    OTHERS.forEach((which, at) => {
      const name = at < others.length ? ofHead(board.data, others[at], WEIGHTS) : "";
      this.draw(which, name ? this.sharesFor(shown, token, name) : [], token, name || WEIGHTS);
    });
    const first = byReaders && board.data.others ? this.ends.length : 0;
    this.shares.forEach((element, place) => {
      const [share, was] = [shares[place - first], before?.[place - first]];
      const text = share === undefined ? "" : share === null ? "–" : Number.isFinite(share) ? percent(share) : "?";
      const change = typeof share === "number" && typeof was === "number" ? points(was, share) : "";
      const told = change ? `${text}\n${change}` : text;
      setText(element, told);
    });
    this.tools.mark();
    this.read.mark();
    if (board.data.says === false) return;
    const change = byReaders ? null : this.changeOf(before, shares);
    const row = [query, ...board.data.labels].join("\n");
    const now = (/** @type {number} */ key) => percent(shares[key] ?? NaN);
    if (before) this.changed = change && { row, key: change[2], now: now(change[2]), told: change[0] };
    const { changed } = this; // reported for as long as it's true
    const did = !before && !byReaders && changed?.row === row && changed.now === now(changed.key) ? [`${changed.told}.`]
      : [];
    const [found, part] = byReaders ? readBy(board.trace, readOf) : (change ?? readsInPercent(board.trace, query));
    const unknown = board.data.byClass === "unknown";
    const reads = unknown ? say("words.english") : change ? found : this.cautious(found);
    const share = unknown ? "" : part;
    // without the even share on a compact board or a question's, where the colour scale marks it
    const even = board.data.store || this.hall ? "" : [...did, share].join(" ");
    toggle(board.root, "newcomer", board.ruler.first && board.explores);
    const said = [this.reads.textContent, this.even.textContent, this.about.textContent].join("\n");
    setText(this.reads, unbroken(reads));
    setText(this.even, even);
    const about = board.settled && !this.kinds.note ? board.data.about : ""; // may be untrue while numbers change
    this.kinds.show(this.hall || !board.settled);
    setText(this.about, about);
    if (said !== [unbroken(reads), even, about].join("\n")) this.letScroll();
  }

  // A finding; if vectors are made up from kinds of words, the sentence says so first.
  cautious(/** @type {string} */ finding) {
    return this.board.data.byClass ? say("words.made_up", { finding }) : finding;
  }

  // During a drag: the weight of the key that was read most before, then and now.
  /** @param {(number | null)[] | null} before @param {(number | null)[]} shares
   *  @returns {[reads: string, even: string, key: number] | null} */
  changeOf(before, shares) {
    const { board } = this;
    if (!before || !board.explores || board.data.others) return null;
    const key = before.indexOf(Math.max(...before.map((share) => share ?? 0)));
    const [was, now] = [before[key], shares[key]];
    if (typeof was !== "number" || typeof now !== "number" || !Number.isFinite(was) || !Number.isFinite(now))
      return null;
    const places = { token: board.data.labels[board.query], key: board.data.keys[key], was: percent(was),
      now: percent(now) };
    if (places.was === places.now) return null;
    const finding = say(key === board.query ? "board.reads.change_itself" : "board.reads.change", places);
    return [board.data.chance ? say("summary.chance.change", { finding }) : finding, "", key];
  }

  // Make the summary of what is read smaller until it fits; if it still doesn't, it can be scrolled, also by keyboard.
  // It is measured after the frame that draws it, which computes the layout anyway.
  letScroll() {
    cancelAnimationFrame(this.measured);
    this.measured = requestAnimationFrame(() => setTimeout(() => {
      const { says } = this;
      const isWide = () => says.scrollWidth > says.clientWidth; // a compact board has one line
      const isHigh = () => says.scrollHeight - says.clientHeight > this.apart;
      says.classList.remove("wraps");
      says.style.setProperty("--fits", "1");
      for (const fits of FITS) if (isWide() || isHigh()) says.style.setProperty("--fits", fits);
      toggle(says, "wraps", isWide());
      if (isHigh()) says.tabIndex = 0;
      else this.says.removeAttribute("tabindex");
      this.fade();
    }));
  }

  // An overflow of up to this many pixels isn't a further line: large letters extend beyond their own line.
  get apart() {
    return SAYS.over * (this.layout?.scale ?? 1);
  }

  // Fade the last visible line if more lines follow: touch screens show a scroll bar only while scrolling.
  fade() {
    const { scrollHeight, clientHeight, scrollTop } = this.says;
    toggle(this.says, "goes-on", scrollHeight - clientHeight - scrollTop > this.apart);
  }

  // Draw ribbons from the token whose row, or with `byReaders` whose column, the weights are. A row that is a piece of
  // another token's starts there.
  /** @param {Drawn} which @param {(number | null)[]} shares @param {number} token */
  draw(which, shares, token, name = WEIGHTS) {
    if (!this.layout || (!shares.length && !this.drawn[which])) return;
    this.drawn[which] = shares.length > 0;
    const { data, byReaders, stages } = this.board;
    const [starts, ends] = byReaders ? [this.ends, this.middles] : [this.middles, this.ends];
    const weights = stages.get(name);
    const whose = weights ? ownerOf(weights, token, starts.length) : token;
    const { arcs, roof } = this.layout;
    const each = arcs ? ribbonsOf(shares, data.others ? -1 : whose, ends, arcs, this.by, starts[whose], roof) : [];
    const ribbons = new Map((Math.max(data.keys.length, data.labels.length) > CONSTANTS.FITS ? merged(each, this.by)
      : each).map((ribbon) => [ribbon.word, ribbon]));
    this.paths.forEach((paths, word) => {
      const path = paths[which];
      const ribbon = ribbons.get(word);
      write(path, "d", ribbon?.path ?? "");
      write(path, "stroke-width", String(ribbon?.width ?? 0));
    });
  }

  // Move between chips by keyboard.
  lead(/** @type {KeyboardEvent} */ event) {
    if (this.read.keydown(event)) return;
    const at = ledTo(event, this.board.picked, this.chips.length);
    if (at === null) return;
    event.preventDefault();
    this.chips[at].focus(); // first: focusing needs the layout, which the changes below make stale
    this.board.picking.pick(at);
  }
}
