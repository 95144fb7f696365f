"""What attention costs: tiles, multiplications, and what is cached."""

from attnviz.feature import Feature, Page

FEATURE = Feature(
    "costs",
    pages=(Page("costs", door="models", sets_up=True),),
    public={"tiles": "online_softmax:tiles"},
    fills={"way": "ways:way"},
)
