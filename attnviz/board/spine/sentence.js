// The sentence: its words as chips, between them the ribbons of the picked one, below each its share. It is how a token
// is picked, and the overview of what it reads.

import { areMixed, colourAs, ownerOf } from "../cells/cell.js";
import { button, drawn, ledTo, make, setText, toggle, UNSEEN, write } from "../cells/elements.js";
import { ofHead } from "../places.js";
import { readBy, readsInPercent } from "../values/reads.js";
import { percent, points, unbroken } from "../values/numbers.js";
import { BETWEEN, lengthOf, LETTER, ReadWords, SAYS as BESIDE, sharesOf, WEIGHTS, widthOf,
  wordsOf } from "./words.js";
import { PRESENTED, saysOf } from "./layout.js";
import { EDGE, GROUPS, LOOP, merged, ribbonsOf } from "./ribbons.js";
import { SentenceTools, toolsAt } from "./sentence_tools.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

/** @typedef {"share" | "before" | "first" | "second"} Drawn of the head in view, the same before an edit, and of two
 *  other heads */

/** @type {Drawn[]} */
const OTHERS = ["first", "second"];
const NONE = { share: false, before: false, first: false, second: false };
// pixels that what is read takes; so many where the page is narrow, and it begins over the ribbons' roof
const SAYS = { high: 76, large: 78, higher: 88, narrow: 420, over: 4 };
const SMALLEST = 0.6; // of their size, before the words scroll

export class Sentence {
  /** @param {Pick<Board, "assembly" | "base" | "byReaders" | "data" | "display" | "explores" | "host" | "key" | "made"
   *  | "picked" | "picking" | "plane" | "planeOver" | "query" | "root" | "ruler" | "sender" | "settled" | "shown"
   *  | "stages" | "story" | "strip">} board */
  constructor(board) {
    this.board = board;
    this.ribbons = drawn("svg", "ribbons", UNSEEN);
    this.strip = make("div", "strip", [], { role: "radiogroup", "aria-label": say("board.chips.pick") });
    this.what = make("span", "what", [say("board.sentence.what")]);
    this.reads = make("b");
    this.even = make("span", "even");
    this.about = make("span", "about");
    this.says = make("div", "says", [this.what, this.reads, this.even, " ", this.about], { role: "status" });
    this.tools = new SentenceTools(this);
    this.element = make("div", "sentence", [this.strip, this.says, this.tools.element]);
    /** @type {HTMLButtonElement[]} */
    this.chips = [];
    /** @type {HTMLElement[]} */
    this.shares = [];
    /** @type {Record<Drawn, SVGPathElement>[]} */
    this.paths = [];
    this.read = new ReadWords(board);
    this.drawn = { ...NONE }; // whether any of these has a ribbon
    /** @type {{ at: number, tips: string } | null} */
    this.marked = null; // which chip says that it is picked
    /** @type {{ row: string, key: number, now: string, told: string } | null} */
    this.changed = null; // what a number that was held did to what is read
    this.measured = 0; // the frame in which it's seen whether what is said has room
    /** @type {number[]} */
    this.middles = [];
    /** @type {number[]} */
    this.ends = []; // where the words stand that are read
    this.end = 0; // where the last word ends
    this.by = 1; // times as large are ribbons
    this.hall = false;
    this.strip.addEventListener("keydown", (event) => this.keydown(event));
    this.strip.addEventListener("pointerleave", () => board.picking.preview(null));
    this.says.addEventListener("scroll", () => this.fade(), { passive: true });
  }

  /** @param {Layout} layout @param {Room} room */
  build(layout, { width, saysBelow: below, hall, ribbons, tells }) {
    const all = wordsOf(this.board.data);
    const { scale } = layout;
    this.layout = layout;
    this.hall = hall;
    this.by = hall ? scale / 2 : scale;
    const size = hall ? PRESENTED.letters * scale : scale;
    const beside = !below && !tells && this.board.data.says !== false;
    const free = width - (beside ? (BESIDE + 2 * BETWEEN) * scale : 0);
    const by = Math.max(SMALLEST * scale, Math.min(size, (scale * free) / lengthOf(all, scale)));
    const words = this.putWords(layout, by);
    this.end = words - BETWEEN * by;
    const last = Math.max(this.middles[this.middles.length - 1], (LOOP - EDGE) * this.by);
    const left = ribbons ? Math.max(words, last + LOOP * this.by) : words; // nothing is told under a ribbon
    this.putShares(layout);
    this.putRibbons(layout, this.end);
    this.strip.replaceChildren(this.ribbons, ...this.chips, ...this.read.chips, ...this.shares);
    Object.assign(this.strip.style,
      { width: `${Math.min(width, left)}px`, height: `${layout.arcs + layout.chips + layout.shares}px` });
    toggle(this.strip, "long", this.end > width + 1);
    this.tools.build(layout, left, width, below);
    this.putSays(layout, left, width, below);
    this.drawn = { ...NONE };
    this.marked = null;
    this.mark();
  }

  // The words side by side; where they end is returned.
  /** @param {Layout} layout @param {number} by */
  putWords({ arcs, chips }, by) {
    const { labels, keys, others } = this.board.data;
    let left = 0;
    const put = (/** @type {HTMLElement} */ chip, /** @type {number} */ wide) => {
      Object.assign(chip.style, { left: `${left}px`, top: `${arcs}px`, width: `${wide}px`, height: `${chips}px`,
        fontSize: `${LETTER.size * by}px` });
      const middle = left + wide / 2;
      left += wide + BETWEEN * by;
      return middle;
    };
    this.chips = labels.map((label, at) => this.chip(label, at));
    this.middles = this.chips.map((chip, at) => put(chip, widthOf(labels[at], by)));
    // The words of a second sentence stand behind those of the first.
    this.read.build();
    const ends = this.read.chips.map((chip, at) => {
      left += at ? 0 : 2 * BETWEEN * by;
      return put(chip, widthOf(keys[at], by));
    });
    if (areMixed(this.board.stages.values())) this.chips.forEach(colourAs);
    this.ends = others ? ends : this.middles;
    return left;
  }

  /** @param {string} label @param {number} at */
  chip(label, at) {
    const chip = button("chip", label, () => this.board.picking.pick(at), { role: "radio" });
    chip.onpointerenter = (event) => event.pointerType === "mouse" && this.board.picking.preview(at);
    return chip;
  }

  // Shares stand under the words that are read, or, where those are asked for, that read.
  putShares(/** @type {Layout} */ { arcs, chips, scale }) {
    this.shares = [...this.ends, ...(this.board.data.others ? this.middles : [])].map((middle) => {
      const share = make("span", "share");
      Object.assign(share.style, { left: `${middle}px`, top: `${arcs + chips + 2 * scale}px` });
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

  // What is read, beside the words or below them. What is said of the numbers may be long: it scrolls, and runs under
  // nothing.
  /** @param {Layout} layout @param {number} left @param {number} width @param {boolean} below */
  putSays(layout, left, width, below) {
    const { scale, arcs, chips, shares } = layout;
    const { ofNow, tells } = this.board.data;
    const over = ofNow && !tells?.presents; // what is done with the words stands under it
    const under = toolsAt(layout, this.board.data.says !== false);
    const room = scale > 1 ? SAYS.large : width - left < SAYS.narrow ? SAYS.higher : SAYS.high;
    const top = over ? Math.max(-SAYS.over * scale, under - room * scale) : arcs - scale;
    Object.assign(this.says.style, below
      ? { left: "0px", top: `${arcs + chips + shares}px`, width: `${width - this.tools.beside}px` }
      : { left: `${left + 10 * scale}px`, top: `${top}px`, width: `${width - left - 10 * scale}px` });
    const high = below ? saysOf(width, this.hall) * scale : over ? under - top : chips + shares + scale;
    this.says.style.maxHeight = `${high}px`;
    toggle(this.says, "over", Boolean(over));
    toggle(this.says, "below", below);
    this.letScroll();
    this.element.style.height = `${arcs + chips + shares + (below ? saysOf(width, this.hall) * scale : 0)}px`;
  }

  // Which word is picked, and what its chip says. Of hundreds of words, the others stay as they are.
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

  // What ribbons and chips show of a token.
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
    const { changed } = this; // told while it's still so
    const did = !before && !byReaders && changed?.row === row && changed.now === now(changed.key) ? [`${changed.told}.`]
      : [];
    const [reads, share] = byReaders ? readBy(board.made, readOf) : (change ?? readsInPercent(board.made, query));
    // a question has few words, and a hall needs its room: it stands on the scale
    const even = board.data.store || this.hall ? "" : [...did, share].join(" ");
    toggle(board.root, "newcomer", board.ruler.first && board.explores);
    const said = [this.reads.textContent, this.even.textContent, this.about.textContent].join("\n");
    setText(this.reads, unbroken(reads));
    setText(this.even, even);
    const about = board.settled ? board.data.about : ""; // while a number changes it may no longer be so
    setText(this.about, about);
    if (said !== [unbroken(reads), even, about].join("\n")) this.letScroll();
  }

  // While a number is held: what was read most, then and now.
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
    return [say(key === board.query ? "board.reads.change_itself" : "board.reads.change", places), "", key];
  }

  // What has more lines than room can be scrolled by keyboard, too; what is read, or the one line of a hall, gets
  // smaller letters first.
  // Measured behind the frame that draws it, which lays it out in any case.
  letScroll() {
    cancelAnimationFrame(this.measured);
    this.measured = requestAnimationFrame(() => setTimeout(() => {
      this.says.style.setProperty("--fits", "1");
      const { scrollHeight, clientHeight, scrollWidth, clientWidth } = this.says;
      if (!this.hall && scrollHeight - clientHeight > this.apart) this.says.style.setProperty("--fits", "0.85");
      if (this.hall && scrollWidth > clientWidth)
        this.says.style.setProperty("--fits", String(Math.max(0.6, 0.95 * clientWidth / scrollWidth)));
      if (this.says.scrollHeight - this.says.clientHeight > this.apart) this.says.tabIndex = 0;
      else this.says.removeAttribute("tabindex");
      this.fade();
    }));
  }

  // Large letters reach out of their lines by more pixels than small ones: by less than this, no line follows.
  get apart() {
    return SAYS.over * (this.layout?.scale ?? 1);
  }

  // Where lines follow below, the last one that is seen fades: a finger's scroll bar shows only while it scrolls.
  fade() {
    const { scrollHeight, clientHeight, scrollTop } = this.says;
    toggle(this.says, "goes-on", scrollHeight - clientHeight - scrollTop > this.apart);
  }

  // From the word whose row it is, or whose column, or, of a piece, from the one that this is of.
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

  keydown(/** @type {KeyboardEvent} */ event) {
    if (event.key.toLowerCase() === "r" && !event.ctrlKey && !event.metaKey && !event.altKey)
      return this.board.picking.turnReaders();
    if (this.read.keydown(event)) return;
    const at = ledTo(event, this.board.picked, this.chips.length);
    if (at === null) return;
    event.preventDefault();
    this.chips[at].focus(); // before anything changes: it has the page laid out, and so that is done once
    this.board.picking.pick(at);
  }
}
