// The tools beside the sentence: Play, "Why?", editing the sentence, choosing a layer.

import { button, make, setText, toggle, write } from "../cells/elements.js";
import { numbersFirst } from "./hall.js";
import { lineOf } from "../values/matrices.js";
import { percent } from "../values/numbers.js";
import { say } from "../../scripts/sentences.js";

/** @import { Sentence } from "./sentence.js" */

// widths in pixels: without a summary of what is read, with one, and of the layers' menu
const TOOLS = { few: 290, most: 410, layers: 110 };
const [LINE, LOW] = [34, 28]; // height of the tools' line in pixels, and on a compact board
const SAYS = 78; // pixels above that line, for the summary of what is read

/** The top of the tools' line, below the summary of what is read, which is larger on a large screen.
 *  @param {Layout} layout @param {boolean} says */
export function toolsAt(layout, says) {
  const { chips, scale } = layout;
  return endOf(layout, says) - (chips > LINE * scale ? LINE : LOW) * scale;
}

/** @param {Layout} layout @param {boolean} says */
function endOf({ arcs, chips, shares, scale }, says) {
  return Math.min(arcs + chips + shares, Math.max(arcs + chips, says ? (SAYS + LINE) * scale : 0));
}

export class SentenceTools {
  constructor(/** @type {Sentence} */ sentence) {
    this.sentence = sentence;
    this.board = sentence.board;
    const { board } = this;
    this.why = button("why", "", () => this.turnPlane());
    this.why.onpointerenter = this.why.onfocus = () => board.plane.fetch();
    this.readers = button("readers", say("board.sentence.readers"), () => board.picking.showReadersOf(null), {
      "aria-pressed": "true", title: say("board.sentence.readers_off"),
    });
    this.editing = button("edit", say("board.sentence.edit"), () => this.edit(), { "aria-expanded": "false" });
    this.offers = make("div", "offers", [], { role: "group", "aria-label": say("board.sentence.examples") });
    this.offers.onpointerdown = (event) => event.preventDefault(); // the focus stays in the box
    this.layers =
      make("select", "examples layers", [], { "aria-label": say("heads.layers"), title: say("heads.layers_how") });
    this.layers.onchange = () => board.sender.send({ layer: this.layers.value === "0" ? null : this.layers.value });
    this.under = { x: 0, height: 0 }; // the free area below the tools, beside the sentence
    this.beside = 0; // width of the tools if they stand at the right of the text below the sentence, otherwise 0
    this.above = false; // whether the tools stand above that text
    this.element = make("div", "tools", [this.why, this.editing, this.layers, this.readers]);
    /** @type {((take: boolean, leave?: boolean) => void) | null} */
    this.end = null; // closes the box for editing the sentence
  }

  // The width of the tools in pixels.
  get wide() {
    const { data } = this.board;
    if (data.isCurrent === false || numbersFirst(data)) return 0; // no tools
    return (data.says === false ? TOOLS.few : TOOLS.most) + (data.layers > 1 ? TOOLS.layers : 0);
  }

  // Place the tools below the summary of what is read, at the right of the chips, which end at `left`; if there is no
  // room, above the chips.
  /** @param {Layout} layout @param {number} left @param {number} width
   *  @param {boolean} below whether the summary of what is read stands below the chips */
  build(layout, left, width, below) {
    const { data, plane } = this.board;
    const { scale, arcs, chips } = layout;
    this.layout = layout;
    toggle(this.sentence.element, "awaits", false);
    toggle(this.element, "gone", this.wide === 0);
    this.why.hidden = !plane.possible;
    this.element.prepend(this.why); // a story moves it into the dock
    const tools = this.wide;
    const right = below && tools > 0 && width > 2 * tools * scale;
    this.beside = right ? tools * scale : 0;
    const above = below || left + tools * scale > width;
    const free = above || !tools || this.board.strip.height || data.framed ? 0
      : arcs + chips + layout.shares - endOf(layout, data.says !== false);
    this.under = { x: left, height: free };
    this.above = above && !right;
    toggle(this.element, "above", this.above);
    Object.assign(this.element.style, above
      ? { right: "0px", left: "auto", top: `${right ? arcs + chips + layout.shares : 0}px` }
      : { left: `${left + 10 * scale}px`, right: "auto", top: `${toolsAt(layout, data.says !== false)}px` });
    this.offer();
  }

  // Update the buttons' texts and states.
  mark() {
    const { board } = this;
    const weights = board.shown.attention_weights;
    const most = weights && !board.byReaders ? Math.max(...lineOf(weights, board.query)) : NaN;
    setText(this.why,
      Number.isFinite(most) ? say("board.plane.why", { share: percent(most) }) : say("board.plane.tab_scores"));
    write(this.why, "aria-pressed", String(board.planeOver));
    toggle(this.why, "on", board.planeOver);
    this.readers.hidden = !board.byReaders;
  }

  // Open or close the plane. The new layout takes the buttons out of the page and puts them back, so the focus is set
  // again.
  turnPlane(/** @type {HTMLElement} */ focused = this.why) {
    this.board.display.showAs({ planeOver: !this.board.planeOver });
    toggle(this.board.root, "played", false); // "Why?" was the next step, and is done
    focused.focus();
  }

  // Fill the list of examples, and the menu of layers.
  offer() {
    const { examples = [] } = this.board.data;
    this.offers.replaceChildren(...examples.map(({ name, title, shows }) => {
      const chip = button("offer", "", () => this.take(name));
      chip.append(make("b", "", [title]), " ", shows);
      return chip;
    }));
    const option = (/** @type {string} */ title, /** @type {string} */ value) => make("option", "", [title], { value });
    const { data: { layers, layer }, host: { can } } = this.board;
    this.layers.replaceChildren(...Array.from({ length: layers },
      (_, at) => option(say("heads.layer", { layer: at }), String(at))));
    this.layers.value = String(layer);
    this.layers.hidden = layers < 2 || !can.layers;
    this.editing.hidden = !can.text;
  }

  take(/** @type {string} */ name) {
    const example = this.board.data.examples.find((each) => each.name === name);
    this.end?.(false);
    if (!example) return;
    this.await();
    this.board.sender.begin(example);
  }

  // Dim the current sentence until the new one is drawn.
  await() {
    toggle(this.sentence.element, "awaits", true);
  }

  // Open a box over the chips to edit the sentence, with the examples below; or take the text if it is open already.
  edit() {
    if (this.end) return this.end(true);
    const { board, offers } = this;
    const before = board.data.text;
    const box = make("input", "text", [], { value: before, "aria-label": say("board.sentence.label") });
    const editor = make("div", "editor", [box, ...(board.data.examples.length ? [offers] : [])]);
    const [top, height] = [this.layout?.arcs ?? 0, this.layout?.chips ?? 0];
    editor.style.top = `${top}px`;
    Object.assign(box.style, { height: `${height}px`, width: `max(${this.under.x}px, 18em)` });
    const end = (/** @type {boolean} */ take, leave = false) => {
      if (this.end !== end) return;
      this.end = null;
      editor.remove();
      write(this.editing, "aria-expanded", "false");
      if (!leave) this.editing.focus();
      if (!take || box.value === before) return;
      this.await();
      board.sender.send({ text: box.value });
    };
    this.end = end;
    editor.onkeydown = (event) => {
      event.stopPropagation();
      if (event.isComposing) return; // these keys belong to the input method then
      if (event.key !== "Escape" && (event.key !== "Enter" || event.target !== box)) return;
      event.preventDefault(); // or it would press the button that gets the focus
      end(event.key === "Enter");
    };
    editor.addEventListener("focusout", ({ relatedTarget: to }) =>
      to === this.editing || (to instanceof Node && editor.contains(to)) || end(true, true));
    write(this.editing, "aria-expanded", "true");
    this.sentence.element.append(editor);
    box.focus();
    box.select();
  }
}
