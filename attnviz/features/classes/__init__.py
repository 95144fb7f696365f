"""A class that predicts: what it's asked, its votes, its pages.

A class is a code for the people, a secret for the teacher, and ends by itself after a day. What is kept of a person is
a hash of what their browser drew at random, until the class ends; then only counts are, and some days later nothing.
"""

from attnviz.feature import Feature

FEATURE = Feature(
    "classes",
    folders=("class",),
    fills={"serves": "served:serves", "begins": "served:begins", "shared_here": "page.share:show_ask_the_class"},
)
