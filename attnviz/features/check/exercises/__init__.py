"""Small examples to compute by hand, and their answer sheets."""
