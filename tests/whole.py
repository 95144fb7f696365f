"""Whether all is tried, as by make test-all, or a sample of what is much alike."""

import os

WHOLE = bool(os.environ.get("ATTNVIZ_WHOLE"))
