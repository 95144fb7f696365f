// A field with the link of the page as it stands in the address bar, and a button that copies it.
// The address is read when it is needed: it changes with every control.

const wired = new WeakSet();

export default function copyLink({ parentElement, data }) {
  const root = parentElement.querySelector(".copy-link");
  const field = root.querySelector("input");
  Object.assign(root.dataset, { hide: data.hide, copied: data.copied, byHand: data.byHand });
  field.setAttribute("aria-label", data.label);
  root.querySelector("button").textContent = data.button;
  field.value = linkOf(location.href, data.hide);
  if (wired.has(root)) return;
  wired.add(root);
  const refresh = () => {
    field.value = linkOf(location.href, root.dataset.hide);
  };
  root.addEventListener("pointerenter", refresh);
  field.addEventListener("focus", () => {
    refresh();
    field.select();
  });
  root.querySelector("button").addEventListener("click", async () => {
    refresh();
    root.querySelector("[role=status]").textContent = root.dataset[(await copied(field)) ? "copied" : "byHand"];
  });
}

// The link that opens this page as it is, without the controls named in `hide`.
export function linkOf(href, hide) {
  const url = new URL(href);
  if (hide) url.searchParams.set("hide", hide);
  return url.href;
}

async function copied(field) {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    // No clipboard, or no leave to write to it, as on a page that is not https: the older way.
    field.focus();
    field.select();
    return document.execCommand("copy");
  }
}
