// Keys that are pressed while a page loads are kept, and replayed one at a time, each once the run before it has ended.
// This script is part of the page itself, before all other scripts.
{
  const HEARD = new Set(["PageDown", "PageUp", "ArrowLeft", "ArrowRight", " "]);
  // The page also reports notRunning before its first run, which begins late on a slow network. Until something is
  // drawn, there is no button that a key could press.
  const isDrawn = () => Boolean(window.attnvizAddress?.drawn);
  // After its first drawing, the page counts as idle once RESTS polls in a row find no run. After a replayed key, up to
  // STARTS more polls wait for the key's run to begin. If the page isn't idle after MOST polls (15 s), or nothing was
  // drawn after LATEST polls (a minute), keys scroll the page again.
  const [LOOK_MS, RESTS, STARTS, MOST, LATEST] = [100, 3, 20, 150, 600];
  /** @type {KeyboardEventInit[]} */
  const kept = [];
  const keep = (/** @type {KeyboardEvent} */ event) => {
    const { isTrusted, target, key, code, keyCode, ctrlKey, metaKey, altKey } = event;
    if (!isTrusted || target !== document.body || ctrlKey || metaKey || altKey || !HEARD.has(key)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    kept.push({ key, code, keyCode, bubbles: true, cancelable: true });
  };
  addEventListener("keydown", keep, true);
  let rests = 0;
  let looks = 0; // polls since the first drawing
  let all = 0;
  const look = setInterval(() => {
    all += 1;
    if (!isDrawn() && all < LATEST) return;
    rests = document.querySelector('[data-test-script-state="notRunning"]') ? rests + 1 : 0;
    looks += 1;
    const isOver = looks > MOST || all >= LATEST;
    if (rests < RESTS && !isOver) return;
    const next = kept.shift();
    if (next && !isOver) {
      rests = -STARTS;
      document.body.dispatchEvent(new KeyboardEvent("keydown", next));
      return;
    }
    clearInterval(look);
    removeEventListener("keydown", keep, true);
  }, LOOK_MS);
}
