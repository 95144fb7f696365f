// What a page of its own carries gzipped.

/**
 * The text that an element of the page has gzipped, in base64.
 * @param {Element} element
 */
export async function unpackedText({ textContent }) {
  const packed = Uint8Array.from(atob(textContent ?? ""), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

// Run a script of the page: it may run no others.
/** @param {string} code */
export function run(code) {
  const script = document.createElement("script");
  script.textContent = code;
  document.head.append(script);
}
