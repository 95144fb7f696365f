"""Parts of pages that show sweeps."""
