// What leads away, Back or a page's name, waits until a control has told what it holds. Streamlit sends that in a task of
// its own, also where a control closes or is left by that very click or key: after what leads away, it would be run in
// its place, with the page and the address that were left.

const OPEN_CELL = "#portal :is(input, textarea)"; // where Streamlit's tables are typed into
const CELL_TOLD_MS = 250; // in which a table has told what was typed: it waits 150 for more

export class Leaving {
  constructor() {
    this.goesOn = false;
    this.toldBy = 0; // when a table has told what was typed into its cell
    for (const type of ["pointerdown", "pointerup", "keydown"]) window.addEventListener(type, () => this.look(), true);
  }

  // What is pressed now may close a cell.
  look() {
    if (document.querySelector(OPEN_CELL)) this.toldBy = performance.now() + CELL_TOLD_MS;
  }

  // Whether what listens after us doesn't hear an event now: `again` makes it happen once more, after what was to be sent.
  /** @param {Event} event @param {() => void} again */
  holds(event, again) {
    if (this.goesOn) return false;
    event.stopImmediatePropagation();
    event.preventDefault();
    const goOn = () => {
      this.goesOn = true;
      again();
      this.goesOn = false;
    };
    setTimeout(goOn, Math.max(0, this.toldBy - performance.now())); // those of one delay keep their order
    return true;
  }
}
