"""Records of a model's attention, made while it computes."""
