"""Writes the figures."""

from sitegen.figures import DIRECTORY, draw_all

DIRECTORY.mkdir(exist_ok=True)
for name, svg in draw_all().items():
    (DIRECTORY / name).write_text(svg, encoding="utf-8")
