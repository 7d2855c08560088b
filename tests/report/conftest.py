"""A real browser, and reports opened in it.

Where Chromium or playwright's driver is not there or cannot run, these tests are skipped, and say so. Once both have
told their versions, whatever goes wrong is a fault.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import psycopg
import pytest
from models import train_iris, write_random

from madtree.report import build_report

# The first has no windows to draw, and takes half of the others' time.
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# Chromium refuses root a sandbox; the other flags keep it from calling home.
FLAGS = [
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
Show = Callable[..., Any]


def skip_unless_it_runs(name: str, *command: str) -> None:
    """Skip if a program cannot even tell its version: a library is missing, or it is a stub that only advises."""
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"{name} does not run on this machine: {done.stderr.strip() or f'exit code {done.returncode}'}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium without a screen."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("there is no chromium on this machine")
    skip_unless_it_runs("chromium", path)
    skip_unless_it_runs("playwright's driver", sys.executable, "-m", "playwright")
    flags = FLAGS + (["--no-sandbox"] if os.geteuid() == 0 else [])
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()


class Pages:
    """Pages of the usual settings, one for each report that a test has open; later tests take them again, as new."""

    SETTINGS: ClassVar[dict[str, Any]] = {"reduced_motion": "reduce", "viewport": {"width": 1280, "height": 900}}

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._idle: list[Any] = []

    def take(self, settings: dict[str, Any] | None) -> Any:
        """A page; one of other settings has a context of its own, which ends with it."""
        if settings:
            return self._browser.new_context(**(self.SETTINGS | settings)).new_page()
        return self._idle.pop() if self._idle else self._browser.new_context(**self.SETTINGS).new_page()

    def give_back(self, page: Any, is_usual: bool) -> None:
        if not is_usual:
            page.context.close()
            return
        page.goto("about:blank")
        page.set_viewport_size(self.SETTINGS["viewport"])
        page.emulate_media(media="screen", reduced_motion="reduce")
        page.mouse.move(0, 0)
        self._idle.append(page)


@pytest.fixture(scope="session")
def pages(browser: Any) -> Pages:
    return Pages(browser)


@pytest.fixture
def open_page(pages: Pages, tmp_path: Path) -> Iterator[Show]:
    """Open a report's text, in a browser's context of the usual settings or others; in the end, nothing must have been
    asked of the network nor gone wrong in the page.
    """
    taken: list[tuple[Any, bool, dict[str, Any]]] = []
    troubles: list[str] = []

    def opened(report: str, context: dict[str, Any] | None = None) -> Any:
        file = tmp_path / f"report{len(taken)}.html"
        file.write_text(report, encoding="utf-8")
        page = pages.take(context)
        listeners = {
            "console": lambda message: troubles.append(f"{message.type}: {message.text}"),
            "pageerror": lambda error: troubles.append(f"error: {error}"),
            "dialog": lambda dialog: troubles.append(f"dialog: {dialog.message}"),
            "request": lambda request: troubles.append(request.url) if request.url != file.as_uri() else None,
        }
        taken.append((page, not context, listeners))
        for event, listener in listeners.items():
            page.on(event, listener)
        page.goto(file.as_uri())
        return page

    yield opened
    for page, is_usual, listeners in taken:
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
        pages.give_back(page, is_usual)
    assert troubles == []


@pytest.fixture
def show(open_page: Show, db: psycopg.Connection) -> Show:
    """Open the report of a model: its name; `context` for the browser's context, the rest for `build_report`."""

    def opened(model: str, context: dict[str, Any] | None = None, **arguments: Any) -> Any:
        return open_page(build_report(db, model, **arguments), context)

    return opened


@pytest.fixture(scope="module")
def iris_report(shared_db: psycopg.Connection) -> str:
    """The report of `train_iris`'s model, made once for the tests that only look at its page."""
    train_iris(shared_db)
    return build_report(shared_db, "iris_tree")


@pytest.fixture
def show_iris(open_page: Show, iris_report: str) -> Show:
    """Open the report of `train_iris`'s model; in a browser's context of the usual settings or others."""
    return partial(open_page, iris_report)


@pytest.fixture(scope="module")
def whole_report(shared_db: psycopg.Connection, shared_schema: str) -> str:
    """The report of a whole tree of seven levels, made once, too."""
    write_random(shared_db, shared_schema, "m", depth=7)
    return build_report(shared_db, "m")


@pytest.fixture
def show_whole(open_page: Show, whole_report: str) -> Show:
    """Open the report of a whole tree of seven levels; as `show_iris`."""
    return partial(open_page, whole_report)
