"""What tests of looks measure."""

# How bright a text is, of a chart or of the page: 0 is black, 255 white.
BRIGHTNESS = """element => {
  const { fill, color } = getComputedStyle(element);
  const parts = (element instanceof SVGElement ? fill : color).match(/[\\d.]+/g);
  if (!parts) return 128; // it is just being drawn anew
  const [red, green, blue] = parts.map(Number);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}"""


def contrast(one: list[int], other: list[int]) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: list[int]) -> float:
    parts = [part / 255 for part in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
