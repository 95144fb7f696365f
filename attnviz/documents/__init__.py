"""Documents to hand out: reports, figures and boards as pages, notebook output."""

from typing import TYPE_CHECKING, Any

from attnviz.documents.board_svg import board_svg, table_svg
from attnviz.documents.boards import board_frame, board_page, shown_in_notebook
from attnviz.documents.matrices import figure_page, heatmap_page
from attnviz.documents.report import report, trace_markup
from attnviz.feature import public, public_names

if TYPE_CHECKING:
    from attnviz.features.check.marking_page import marking_csv as marking_csv
    from attnviz.features.check.marking_page import marking_markup as marking_markup
    from attnviz.features.check.marking_page import marking_page as marking_page
    from attnviz.features.models.model_pages import head_report as head_report
    from attnviz.features.models.model_pages import model_markup as model_markup
    from attnviz.features.models.model_pages import model_page as model_page

__all__ = [
    "board_frame", "board_page", "board_svg", "figure_page", "heatmap_page", "report", "shown_in_notebook", "table_svg",
    "trace_markup", *public_names(__name__),
]  # fmt: skip

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        return public(__name__, name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
