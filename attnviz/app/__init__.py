"""Everything that draws on a Streamlit page."""

import torch

from attnviz.app.operations.run_queue import watched_run
from attnviz.app.shell.messages import show_foot
from attnviz.app.shell.setup import shared_setup
from attnviz.app.shell.top_bar import ICON, show_top_bar

# Only the app's process makes torch compute each operation on one thread. By default, torch splits even a softmax over
# 6 rows among all cores and waits for each of them: while a browser or another reader keeps a core busy, the first
# board came up to 80 ms later. Sweeps have threads of their own.
torch.set_num_threads(1)  # noqa: TID251

__all__ = ["ICON", "shared_setup", "show_foot", "show_top_bar", "watched_run"]
