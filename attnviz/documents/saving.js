// Unpacks what a page outside the app contains gzipped, and saves the page's picture.

/**
 * Return the text that an element of the page contains gzipped, in base64.
 * @param {Element} element
 */
export async function unpackedText({ textContent }) {
  const packed = Uint8Array.from(atob(textContent ?? ""), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

// Runs a script that the page contains; its security policy allows no others.
/** @param {string} code */
export function run(code) {
  const script = document.createElement("script");
  script.textContent = code;
  document.head.append(script);
}

/** @param {string} picture an SVG @param {number} width @param {number} height @param {string} name
 *  @param {string} format */
export async function save(picture, width, height, name, format) {
  const file = format === "svg" ? new Blob([picture], { type: "image/svg+xml" }) : await drawn(picture, width, height);
  if (file) download(file, `${name}.${format}`);
}

// The picture as a PNG, with twice as many pixels in each direction.
/** @param {string} picture @param {number} width @param {number} height @returns {Promise<Blob | null>} */
async function drawn(picture, width, height) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(picture)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** @param {Blob} file @param {string} name */
function download(file, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
