// The sentence: its words as chips, between them the ribbons of the picked one, below each its share. It is how a token
// is picked, and the overview of what it reads.

import { areOfOthers, ownerOf } from "../cells/cell.js";
import { make, toggle, write } from "../cells/elements.js";
import { areMixed, colourAs } from "../cells/owners.js";
import { hiddenIn } from "../values/evaluate.js";
import { valueAt } from "../values/matrices.js";
import { readBy } from "../values/read_by.js";
import { percent, readsInPercent } from "../values/reads_most.js";
import { ofHead } from "../heads/seen_from.js";
import { PRESENTED, saysOf } from "./layout.js";
import { ReadWords } from "./read_words.js";
import { ribbonsOf } from "./ribbons.js";
import { say } from "../../scripts/sentences.js";

/** @import { Board } from "../board.js" */
/** @import { Matrices } from "../types.js" */
/** @import { Layout } from "./types.js" */
/** @typedef {"share" | "before" | "first" | "second"} Drawn of the head in view, the same before an edit, and of two other heads */

const WEIGHTS = "attention_weights";
/** @type {Drawn[]} */
const OTHERS = ["first", "second"];
const NONE = { share: false, before: false, first: false, second: false };
const SVG = "http://www.w3.org/2000/svg";
const LETTER = { size: 20, width: 11 }; // pixels at most
const AROUND = 34; // of a chip, beside its letters
const BETWEEN = 14;
const SMALLEST = 0.6; // of these, before the words scroll
export const SAYS = 350; // the room that what is read takes beside the words
const TOOLS = { few: 220, most: 390, why: 130, layers: 110 }; // and that the tools take: where nothing is read, where it is, and the plane's
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f000}-\u{1faff}]/u;

// How wide a word's chip is, by its letters.
/** @param {string} label @param {number} by */
export function widthOf(label, by) {
  const letters = [...label].reduce((sum, letter) => sum + (WIDE.test(letter) ? 2 : 1), 0);
  return by * (Math.min(letters, 24) * LETTER.width + AROUND);
}

/** @param {string[]} labels @param {number} by */
export function lengthOf(labels, by) {
  return labels.reduce((sum, label) => sum + widthOf(label, by), 0) + by * BETWEEN * (labels.length - 1);
}

// All words over the matrices: those that read, and behind them those that are read, where these are others.
/** @param {Pick<import("../types.js").BoardData, "labels" | "keys" | "others">} data */
export function wordsOf({ labels, keys, others }) {
  return others ? [...labels, "", ...keys] : labels;
}

// Whether what is read has no room beside the words.
/** @param {string[]} labels @param {number} width */
export function saysBelow(labels, width) {
  return lengthOf(labels, 1) + SAYS > width;
}

export class Sentence {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.ribbons = document.createElementNS(SVG, "svg");
    this.ribbons.setAttribute("class", "ribbons");
    this.ribbons.setAttribute("aria-hidden", "true");
    this.strip = make("div", "strip");
    this.strip.setAttribute("role", "radiogroup");
    this.reads = make("b");
    this.even = make("span");
    this.says = make("div", "says", [this.reads, this.even, " "]);
    this.says.setAttribute("role", "status");
    this.about = make("span", "about");
    this.says.append(this.about);
    this.tools = make("div", "tools");
    this.editing = make("button", "", [say("board.sentence.edit")]);
    this.editing.type = "button";
    this.editing.onclick = () => this.edit();
    this.examples = make("select", "examples");
    this.examples.setAttribute("aria-label", say("board.sentence.examples"));
    this.examples.onchange = () => this.take(this.examples.value);
    this.layers = make("select", "examples layers");
    this.layers.setAttribute("aria-label", say("heads.layers"));
    this.layers.title = say("heads.layers_how");
    this.layers.onchange = () => board.begin({ layer: Number(this.layers.value) });
    this.readers = make("button", "readers", [say("board.sentence.readers")]);
    this.readers.type = "button";
    this.readers.onclick = () => board.showReadersOf(board.byReaders ? null : board.key);
    this.why = make("button", "why", [say("board.plane.tab_scores")]);
    this.why.type = "button";
    this.why.onclick = () => this.turnPlane();
    this.tools.append(this.editing, this.examples, this.layers, this.readers, this.why);
    this.element = make("div", "sentence", [this.strip, this.says, this.tools]);
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
    this.measured = 0; // the frame in which it's seen whether what is said has room
    /** @type {number[]} */
    this.middles = [];
    /** @type {number[]} */
    this.ends = []; // where the words stand that are read
    this.strip.addEventListener("keydown", (event) => this.keydown(event));
    this.strip.addEventListener("pointerleave", () => board.preview(null));
    this.says.addEventListener("scroll", () => this.fade(), { passive: true });
  }

  /** @param {Layout} layout @param {number} width */
  build(layout, width) {
    const { labels, keys, others } = this.board.data;
    const { scale, arcs, chips, shares } = layout;
    const all = wordsOf(this.board.data);
    this.layout = layout;
    const below = this.board.room.saysBelow;
    const { ribbons, tells } = this.board.room;
    const size = ribbons || !tells ? scale : PRESENTED.letters * scale;
    const by = Math.max(SMALLEST * scale, Math.min(size, (scale * width) / lengthOf(all, scale)));
    let left = 0;
    this.middles = [];
    this.chips = labels.map((label, at) => {
      const wide = widthOf(label, by);
      const chip = make("button", "chip", [label]);
      chip.type = "button";
      chip.setAttribute("role", "radio");
      Object.assign(chip.style, { left: `${left}px`, top: `${arcs}px`, width: `${wide}px`, height: `${chips}px`, fontSize: `${LETTER.size * by}px` });
      chip.onclick = () => this.board.pick(at);
      chip.onpointerenter = (event) => event.pointerType === "mouse" && this.board.preview(at);
      this.middles.push(left + wide / 2);
      left += wide + BETWEEN * by;
      return chip;
    });
    // The words of a second sentence stand behind those of the first.
    this.read.build();
    const ends = this.read.chips.map((chip, at) => {
      const wide = widthOf(keys[at], by);
      left += at ? 0 : 2 * BETWEEN * by;
      Object.assign(chip.style, { left: `${left}px`, top: `${arcs}px`, width: `${wide}px`, height: `${chips}px`, fontSize: `${LETTER.size * by}px` });
      left += wide + BETWEEN * by;
      return left - BETWEEN * by - wide / 2;
    });
    if (areMixed(this.board.stages.values())) this.chips.forEach(colourAs);
    this.ends = others ? ends : this.middles;
    // Shares stand under the words that are read, or, where those are asked for, that read.
    this.shares = [...this.ends, ...(others ? this.middles : [])].map((middle) => {
      const share = make("span", "share");
      Object.assign(share.style, { left: `${middle}px`, top: `${arcs + chips + 2 * scale}px` });
      return share;
    });
    this.paths = Array.from({ length: Math.max(keys.length, labels.length) }, () => ({ before: pathOf("before"), share: pathOf("ribbon"), first: pathOf("other-0"), second: pathOf("other-1") }));
    this.ribbons.replaceChildren(...this.paths.flatMap(({ before, share }) => [before, share]), ...OTHERS.flatMap((which) => this.paths.map((paths) => paths[which])));
    this.ribbons.setAttribute("width", String(left - BETWEEN * by));
    this.ribbons.setAttribute("height", String(arcs));
    this.strip.replaceChildren(this.ribbons, ...this.chips, ...this.read.chips, ...this.shares);
    this.strip.setAttribute("aria-label", say("board.chips.pick"));
    Object.assign(this.strip.style, { width: `${Math.min(width, left)}px`, height: `${arcs + chips + shares}px` });
    toggle(this.strip, "long", left - BETWEEN * by > width + 1);
    Object.assign(this.says.style, below
      ? { left: "0px", top: `${arcs + chips + shares}px`, width: `${width}px` }
      : { left: `${left + 10 * scale}px`, top: `${arcs - scale}px`, width: `${width - left - 10 * scale}px` });
    // What is said of the numbers may be long: it scrolls, and runs under nothing.
    this.says.style.maxHeight = `${below ? saysOf(width) * scale : chips + shares + scale}px`;
    toggle(this.says, "below", below);
    this.letScroll();
    this.element.style.height = `${arcs + chips + shares + (below ? saysOf(width) * scale : 0)}px`;
    const { data, plane } = this.board;
    const said = data.says !== false;
    toggle(this.tools, "gone", data.ofNow === false || data.tells?.presents === true); // or others have theirs
    this.readers.hidden = !said || data.ribbons === false || (labels.length < 2 && !others);
    this.why.hidden = layout.plane !== null || !plane.possible;
    const tools = (said ? TOOLS.most : TOOLS.few) + (this.why.hidden ? 0 : TOOLS.why) + (data.layers > 1 ? TOOLS.layers : 0);
    const above = below || left + tools * scale > width;
    toggle(this.tools, "above", above);
    Object.assign(this.tools.style, above ? { right: "0px", left: "auto", top: "0px" } : { left: `${left + 10 * scale}px`, right: "auto", top: `${arcs - Math.min(36 * scale, 0.46 * arcs)}px` });
    this.offer();
    this.drawn = { ...NONE };
    this.marked = null;
    this.mark();
  }

  // The plane lies over the matrices, or no more. The tools are the same elements, but were put anew.
  turnPlane() {
    this.board.showAs({ planeOver: !this.board.planeOver });
    this.why.focus();
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
      toggle(chip, "published", Boolean(data.tips?.[at]?.published));
      write(chip, "title", data.tips?.[at]?.origin ?? "");
      write(chip, "aria-checked", String(on));
      write(chip, "tabindex", on ? "0" : "-1");
    });
  }

  // The examples are a list of the browser's own, which shows what it is for, and not what was taken last.
  offer() {
    const { examples = [] } = this.board.data;
    const first = make("option", "", [say("board.sentence.examples")]);
    first.value = "";
    const rest = examples.map(({ name, title }) => Object.assign(make("option", "", [title]), { value: name }));
    this.examples.replaceChildren(first, ...rest);
    this.examples.hidden = examples.length === 0;
    const { layers, layer } = this.board.data;
    const each = Array.from({ length: layers }, (_, at) => Object.assign(make("option", "", [say("heads.layer", { layer: at })]), { value: String(at) }));
    this.layers.replaceChildren(...each);
    this.layers.value = String(layer);
    this.layers.hidden = layers < 2;
  }

  /** @param {string} name */
  take(name) {
    this.examples.value = "";
    if (name) this.board.begin({ example: name });
  }

  // The words give way to a box with the whole sentence, until it is taken or left.
  edit() {
    const { board } = this;
    const box = make("input", "text");
    const before = board.data.text;
    box.value = before;
    box.setAttribute("aria-label", say("board.sentence.label"));
    Object.assign(box.style, { top: `${this.layout?.arcs ?? 0}px`, height: `${this.layout?.chips ?? 0}px` });
    let done = false;
    const end = (/** @type {boolean} */ take, leave = false) => {
      if (done) return;
      done = true;
      toggle(this.element, "editing", false);
      box.remove();
      if (!leave) this.editing.focus();
      if (take && box.value !== before) board.begin({ text: box.value });
    };
    box.onkeydown = (event) => {
      event.stopPropagation();
      if (event.isComposing) return; // Enter takes what is composed, and Escape drops that alone
      if (event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault(); // or the button that gets the focus is pressed
      end(event.key === "Enter");
    };
    box.onblur = () => end(true, true);
    toggle(this.element, "editing", true);
    this.element.append(box);
    box.focus();
    box.select();
  }

  // The shares of a query, null where it may not read.
  /** @param {Matrices} matrices @param {number} query @param {string} name */
  sharesOf(matrices, query, name = WEIGHTS) {
    const { stages } = this.board;
    const weights = matrices[name];
    const hidden = hiddenIn({ stages, matrices }, stages.get(name));
    return ofTokens(stages.get(name), Array.from({ length: weights.columns }, (_, key) => (hidden?.(query, key) ? null : valueAt(weights, query, key))), (one, other) => one + other);
  }

  // What each token gives a key, null where it may not read it.
  /** @param {Matrices} matrices @param {number} key @param {string} name */
  givenTo(matrices, key, name = WEIGHTS) {
    const { stages } = this.board;
    const weights = matrices[name];
    const hidden = hiddenIn({ stages, matrices }, stages.get(name));
    return ofTokens(stages.get(name), Array.from({ length: weights.rows }, (_, query) => (hidden?.(query, key) ? null : valueAt(weights, query, key))), Math.max);
  }

  // What ribbons and chips show of a token.
  /** @param {Matrices} matrices @param {number} token @param {string} name */
  sharesFor(matrices, token, name = WEIGHTS) {
    return this.board.byReaders ? this.givenTo(matrices, token, name) : this.sharesOf(matrices, token, name);
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
      const change = share !== null && typeof was === "number" ? points(share - was) : "";
      const told = change ? `${text}\n${change}` : text;
      if (element.textContent !== told) element.textContent = told;
    });
    const [reads, even] = byReaders ? readBy(board.made, readOf) : readsInPercent(board.made, query);
    const said = [this.reads.textContent, this.even.textContent, this.about.textContent].join("\n");
    if (this.reads.textContent !== reads) this.reads.textContent = reads;
    if (this.even.textContent !== even) this.even.textContent = even;
    write(this.why, "aria-pressed", String(board.planeOver));
    write(this.readers, "aria-pressed", String(board.byReaders));
    const turn = board.byReaders ? "off" : board.data.others ? "on_others" : "on";
    write(this.readers, "title", say(`board.sentence.readers_${turn}`));
    this.read.mark();
    const about = board.settled ? board.data.about : ""; // while a number changes it may no longer be so
    if (this.about.textContent !== about) this.about.textContent = about;
    if (said !== [reads, even, about].join("\n")) this.letScroll();
  }

  // What has more lines than room can be scrolled by keyboard, too. Measured when nothing else is to be drawn.
  letScroll() {
    cancelAnimationFrame(this.measured);
    this.measured = requestAnimationFrame(() => {
      const { scrollHeight, clientHeight } = this.says;
      if (scrollHeight > clientHeight + 1) this.says.tabIndex = 0;
      else this.says.removeAttribute("tabindex");
      this.fade();
    });
  }

  // Where lines follow below, the last one that is seen fades: a finger's scroll bar shows only while it scrolls.
  fade() {
    const { scrollHeight, clientHeight, scrollTop } = this.says;
    toggle(this.says, "goes-on", scrollTop + clientHeight < scrollHeight - 1);
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
    const ribbons = new Map(!this.layout.arcs ? [] : ribbonsOf(shares, data.others ? -1 : whose, ends, this.layout.arcs, this.layout.scale, starts[whose]).map((ribbon) => [ribbon.word, ribbon]));
    this.paths.forEach((paths, word) => {
      const path = paths[which];
      const ribbon = ribbons.get(word);
      write(path, "d", ribbon?.path ?? "");
      write(path, "stroke-width", String(ribbon?.width ?? 0));
    });
  }

  /** @param {KeyboardEvent} event */
  keydown(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (this.read.keydown(event, step ?? 0)) return;
    const count = this.chips.length;
    const at = event.key === "Home" ? 0 : event.key === "End" ? count - 1 : step ? (this.board.picked + step + count) % count : null;
    if (at === null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.chips[at].focus(); // before anything changes: it has the page laid out, and so that is done once
    this.board.pick(at);
  }
}

// What tokens have of which there are pieces: the shares of these together, or the largest.
/** @param {import("../types.js").Stage} stage @param {(number | null)[]} shares @param {(one: number, other: number) => number} together */
function ofTokens(stage, shares, together) {
  if (!areOfOthers(stage)) return shares;
  /** @type {(number | null)[]} */
  const whole = shares.map(() => null);
  shares.forEach((share, at) => {
    const whose = ownerOf(stage, at, shares.length);
    if (share !== null) whole[whose] = together(whole[whose] ?? 0, share);
  });
  return whole;
}

/** @param {string} className */
function pathOf(className) {
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("class", className);
  return path;
}

// A change of a share in percentage points; blank where none is seen.
/** @param {number} change */
function points(change) {
  const whole = Math.round(100 * change);
  return whole === 0 ? "" : say("board.share.points", { change: whole > 0 ? `+${whole}` : `−${-whole}` });
}
