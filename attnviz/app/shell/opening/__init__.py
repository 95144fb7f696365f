"""Opening a link: what it says is taken, and what of a long one could not be."""
