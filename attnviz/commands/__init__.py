"""The command line: `attnviz`, and what stands behind each of its words."""
