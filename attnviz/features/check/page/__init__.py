"""The pages of numbers that were computed by hand."""
