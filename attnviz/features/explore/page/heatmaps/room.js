// The explanation of a picked cell stands in a row of its own below the cell's heatmap. The page draws it after all
// heatmaps, so they keep a gap of its height below that heatmap, and CSS positions the explanation there.

/** @param {HTMLElement} root of the heatmaps @param {HTMLElement} gap @param {Element | null} panel
 *  @param {HTMLElement | null} picked the heatmap with the picked cell @param {boolean} seen whether it's to be
 *  seen */
export function makeRoom(root, gap, panel, picked, seen) {
  const { style } = document.documentElement;
  if (!picked || !(panel instanceof HTMLElement) || !root.isConnected) {
    gap.remove();
    style.removeProperty("--attnviz-explained-at");
    return;
  }
  const group = picked.parentElement;
  if (group) below(group).after(gap);
  const before = gap.style.height + style.getPropertyValue("--attnviz-explained-top");
  gap.style.height = `${panel.offsetHeight}px`;
  style.setProperty("--attnviz-explained-at", "absolute");
  const top = gap.getBoundingClientRect().top - root.getBoundingClientRect().top;
  style.setProperty("--attnviz-explained-top", `${top}px`);
  const now = gap.style.height + style.getPropertyValue("--attnviz-explained-top");
  if (seen && now !== before) panel.scrollIntoView({ block: "nearest" });
}

// Returns the last group of heatmaps in the same line.
/** @param {Element} group @returns {Element} */
function below(group) {
  let last = group;
  for (let next = group.nextElementSibling; next?.className === "group"; next = next.nextElementSibling) {
    if (next.getBoundingClientRect().top >= group.getBoundingClientRect().bottom) break;
    last = next;
  }
  return last;
}
