// What stands beside the words: another sentence, an example, a layer, who reads, and the plane.

import { make, toggle, write } from "../cells/elements.js";
import { say } from "../../scripts/sentences.js";

/** @import { Sentence } from "./sentence.js" */
/** @import { Layout } from "./types.js" */

const TOOLS = { few: 220, most: 390, why: 130, layers: 110 }; // pixels that they take: where nothing is read, where it is, and for the plane's and for layers

export class SentenceTools {
  /** @param {Sentence} sentence */
  constructor(sentence) {
    this.sentence = sentence;
    this.board = sentence.board;
    const { board } = this;
    this.editing = make("button", "", [say("board.sentence.edit")]);
    this.editing.type = "button";
    this.editing.onclick = () => this.edit();
    this.examples = make("select", "examples");
    this.examples.setAttribute("aria-label", say("board.sentence.examples"));
    this.examples.onchange = () => this.take(this.examples.value);
    this.layers = make("select", "examples layers");
    this.layers.setAttribute("aria-label", say("heads.layers"));
    this.layers.title = say("heads.layers_how");
    this.layers.onchange = () => board.host.tell({ layer: this.layers.value === "0" ? null : this.layers.value });
    this.readers = make("button", "readers", [say("board.sentence.readers")]);
    this.readers.type = "button";
    this.readers.onclick = () => board.picking.showReadersOf(board.byReaders ? null : board.key);
    this.why = make("button", "why", [say("board.plane.tab_scores")]);
    this.why.type = "button";
    this.why.onclick = () => this.turnPlane();
    this.element = make("div", "tools", [this.editing, this.examples, this.layers, this.readers, this.why]);
  }

  // Behind the words, which end at `left`, or above them where there is no room.
  /** @param {Layout} layout @param {number} left @param {number} width @param {boolean} below whether what is read stands below the words */
  build(layout, left, width, below) {
    const { data, plane } = this.board;
    const { labels, others } = data;
    const { scale, arcs } = layout;
    this.layout = layout;
    const said = data.says !== false;
    toggle(this.element, "gone", data.ofNow === false || data.tells?.presents === true); // or others have theirs
    this.readers.hidden = !said || data.ribbons === false || (labels.length < 2 && !others);
    this.why.hidden = layout.plane !== null || !plane.possible;
    const tools = (said ? TOOLS.most : TOOLS.few) + (this.why.hidden ? 0 : TOOLS.why) + (data.layers > 1 ? TOOLS.layers : 0);
    const above = below || left + tools * scale > width;
    toggle(this.element, "above", above);
    Object.assign(this.element.style, above ? { right: "0px", left: "auto", top: "0px" } : { left: `${left + 10 * scale}px`, right: "auto", top: `${arcs - Math.min(36 * scale, 0.46 * arcs)}px` });
    this.offer();
  }

  // What is pressed.
  mark() {
    const { board } = this;
    write(this.why, "aria-pressed", String(board.planeOver));
    write(this.readers, "aria-pressed", String(board.byReaders));
    const turn = board.byReaders ? "off" : board.data.others ? "on_others" : "on";
    write(this.readers, "title", say(`board.sentence.readers_${turn}`));
  }

  // The plane lies over the matrices, or no more. The tools are the same elements, but were put anew.
  turnPlane() {
    this.board.display.showAs({ planeOver: !this.board.planeOver });
    this.why.focus();
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
    const example = this.board.data.examples.find((each) => each.name === name);
    if (example) this.board.host.begin(example);
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
      toggle(this.sentence.element, "editing", false);
      box.remove();
      if (!leave) this.editing.focus();
      if (take && box.value !== before) board.host.tell({ text: box.value });
    };
    box.onkeydown = (event) => {
      event.stopPropagation();
      if (event.isComposing) return; // Enter takes what is composed, and Escape drops that alone
      if (event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault(); // or the button that gets the focus is pressed
      end(event.key === "Enter");
    };
    box.onblur = () => end(true, true);
    toggle(this.sentence.element, "editing", true);
    this.sentence.element.append(box);
    box.focus();
    box.select();
  }
}
