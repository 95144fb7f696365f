"""What tests of looks measure."""

# How bright a text of a chart is: 0 is black, 255 white.
BRIGHTNESS = """element => {
  const parts = getComputedStyle(element).fill.match(/[\\d.]+/g);
  if (!parts) return 128; // it is just being drawn anew
  const [red, green, blue] = parts.map(Number);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}"""
