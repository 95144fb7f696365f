"""What a trace of a model offers is called with wrong arguments, too."""

from tests.features.language_models.said import writer
from tests.unit.project.public_calls import public_methods


def test_what_the_contract_names_is_tried() -> None:
    assert {"write", "why"} <= public_methods(writer()).keys()
