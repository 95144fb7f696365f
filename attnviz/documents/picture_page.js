// Saves the picture of a page that shows an SVG and nothing else.

import { save } from "./saving.js";

const picture = document.querySelector("svg");
for (const button of document.querySelectorAll("button")) {
  const { format = "", name = "" } = button.dataset;
  button.addEventListener("click", () => {
    if (!picture) return;
    const { width, height } = picture.viewBox.baseVal;
    save(new XMLSerializer().serializeToString(picture), width, height, name, format);
  });
}
