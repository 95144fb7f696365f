// Marks what Python says of torch's numbers as older, while a board of the page shows others: those of a drag, or of an
// edit that the rest of the page hasn't heard of yet.

const parts = new WeakMap();

export default function outdated({ parentElement, data }) {
  const element = parentElement.querySelector(".outdated");
  if (!parts.has(element)) parts.set(element, new Part(element));
  parts.get(element).receive(data);
}

class Part {
  constructor(element) {
    this.element = element;
    this.hear = ({ detail }) => this.compare((this.shown = detail));
    window.addEventListener("attnviz-numbers", this.hear);
  }

  receive(data) {
    this.data = data;
    this.compare();
  }

  compare() {
    if (!this.element.isConnected) return window.removeEventListener("attnviz-numbers", this.hear);
    const older = this.shown !== undefined && this.shown !== this.data.of;
    const text = older ? this.data.note : "";
    if (this.element.textContent !== text) this.element.textContent = text;
  }
}
