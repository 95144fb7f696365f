"""Tables of numbers as people paste, type, upload and print them."""

from attnviz.feature import Feature

FEATURE = Feature("tables", public={"read_table": "reading:read_table", "export.read_matrix": "matrices:read_matrix"})
