"""The colours of boards, heatmaps and tables, and their limits."""
