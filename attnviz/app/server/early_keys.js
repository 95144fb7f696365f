// Keys that are pressed while a page loads are kept until the page hears them: each is pressed anew once the run before
// it has ended. It stands in the page itself, before all scripts.
{
  const HEARD = new Set(["PageDown", "PageUp", "ArrowLeft", "ArrowRight", " "]);
  // Until the first run begins, which takes long on a slow network, the page says notRunning, too, and draws no button
  // that a key could press.
  const isDrawn = () => Boolean(window.attnvizAddress?.drawn);
  // From its first drawing on, the page stands once no run goes on in RESTS looks; for a run that a key begins, up to
  // STARTS looks are waited. A page that doesn't rest in MOST looks, 15 s, or that nobody draws in LATEST, a minute,
  // scrolls by its keys again.
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
  let looks = 0; // since the first drawing
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
