// What leads away, Back or a page's name, waits until a control has told what it holds. Streamlit sends that in a task of
// its own, also where a control closes or is left by that very click or key: after what leads away, it would be run in
// its place, with the page and the address that were left.

export class Leaving {
  constructor() {
    this.goesOn = false;
  }

  // Whether what listens after us doesn't hear an event now: `again` makes it happen once more, after what was to be sent.
  /** @param {Event} event @param {() => void} again */
  holds(event, again) {
    if (this.goesOn) return false;
    event.stopImmediatePropagation();
    event.preventDefault();
    setTimeout(() => { // timers of one delay keep their order
      this.goesOn = true;
      again();
      this.goesOn = false;
    });
    return true;
  }
}
