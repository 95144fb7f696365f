"""``python -m attnviz``."""

import sys

from attnviz.command_line import main

sys.exit(main())
