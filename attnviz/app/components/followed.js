// A sentence that Python says of torch's numbers. While the board shows newer ones, what it says of them stands in its
// place: one page never says two numbers for one thing.
// Whatever a person typed is only ever set as textContent.

const sentences = new WeakMap();

export default function followed({ parentElement, data }) {
  const element = parentElement.querySelector(".followed");
  if (!sentences.has(element)) sentences.set(element, new Followed(element));
  sentences.get(element).receive(data.said);
}

class Followed {
  constructor(element) {
    this.element = element;
    this.hear = ({ detail }) => this.follow(detail);
    window.addEventListener("attnviz-sentence", this.hear);
  }

  receive(said) {
    this.said = said;
    this.follow(said);
  }

  follow(said) {
    if (!this.element.isConnected) return window.removeEventListener("attnviz-sentence", this.hear);
    const text = said === this.said ? "" : said;
    if (this.element.textContent !== text) this.element.textContent = text;
  }
}
