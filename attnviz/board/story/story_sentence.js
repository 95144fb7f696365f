// The sentence over a story.

import { toggle } from "../cells/elements.js";
import { put } from "./story_grids.js";

/** @import { Board } from "../board.js" */
/** @import { StoryLayout } from "../spine/types.js" */

// The words in lines, above what the picked one reads.
/** @param {Board} board @param {StoryLayout} layout */
export function putSentence({ sentence, root }, { chips, read, tools, says, width, low }) {
  toggle(root, "low", low);
  const places = [...sentence.chips.map((chip, at) => ({ chip, place: chips[at] })), ...sentence.read.chips.map((chip, at) => ({ chip, place: read[at] }))];
  for (const { chip, place } of places) {
    chip.hidden = !place;
    chip.style.fontSize = "";
    if (place) put(chip, place);
  }
  put(sentence.strip, { x: 0, y: 0, width, height: says.y });
  put(sentence.tools.element, tools);
  sentence.tools.element.style.right = "";
  // What is read has so much room; where more is said, the parts give way.
  Object.assign(sentence.says.style, { left: "", top: "", width: "", maxHeight: "none", minHeight: `${says.height}px` });
  Object.assign(sentence.element.style, { height: "", paddingTop: `${says.y}px` });
}
