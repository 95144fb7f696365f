"""How a cell is explained: what a rule reads of it, displayed arithmetic, and what more than one rule says."""
