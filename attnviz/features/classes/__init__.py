"""A class that predicts: its questions, its votes, its pages.

A class has a code for the people and a secret for the teacher, and ends by itself after a day. Until then, a hash of a
random token of their browser is all that is stored of a person. After the end only counts are stored, and 30 days later
nothing.
"""

from attnviz.feature import Feature

FEATURE = Feature(
    "classes",
    folders=("class",),
    fills={"serves": "served:serves", "begins": "served:begins", "shared_here": "page.share:show_ask_the_class"},
)
