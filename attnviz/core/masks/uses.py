"""What is done with a mask: what attention does, and what learners do in its place."""

ADDED = "added"  # to the scaled scores, before the softmax: what attention does
FACTOR = "factor"  # a hidden score is multiplied by 0 in place of −∞, so that it is read as any score of 0
ZEROED = "zeroed"  # hidden attention weights become 0 after the softmax
SHARED = "renormalized"  # and what is left of each row is divided by its sum
LATE = (ZEROED, SHARED)  # after the softmax
MASK_USES = (ADDED, FACTOR, *LATE)
