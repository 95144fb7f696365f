"""What an installed package holds beside its modules: every file that the folders of the library hold."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_file_of_the_library_is_installed_with_it() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    patterns = settings["package-data"]["*"]
    packages = [ROOT / "attnviz", *(folder for folder in ROOT.glob("attnviz/**/") if folder.name != "__pycache__")]
    installed = {file for package in packages for pattern in patterns for file in package.glob(pattern)}
    files = {
        file for file in ROOT.glob("attnviz/**/*")
        if file.is_file() and file.suffix not in (".py", ".pyc") and not file.name.endswith(".d.ts")
    }  # fmt: skip
    assert files == installed - set(ROOT.glob("attnviz/**/*.d.ts"))
