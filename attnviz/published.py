"""The published example that a reader of the notebook recognises: its sentence and its vectors.

Source: S. Raschka, Build a Large Language Model (From Scratch), 2024, chapter 3.3 to 3.4.
"""

PUBLISHED_TEXT = "Your journey starts with one step"
PUBLISHED_D_IN = 3
PUBLISHED_VECTORS: dict[str, tuple[float, float, float]] = {
    "Your": (0.43, 0.15, 0.89),
    "journey": (0.55, 0.87, 0.66),
    "starts": (0.57, 0.85, 0.64),
    "with": (0.22, 0.58, 0.33),
    "one": (0.77, 0.25, 0.10),
    "step": (0.05, 0.80, 0.55),
}
