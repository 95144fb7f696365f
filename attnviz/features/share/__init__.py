"""Share: links, code, data and pictures; files to open; playlists."""

from attnviz.feature import Feature

FEATURE = Feature(
    "share",
    needs=("tables",),
    fills={
        "parameters": "parameters:rows",
        "in_bar": "page.share:show_share",
        "strip": "page.playlist:show_strip",
    },
)
