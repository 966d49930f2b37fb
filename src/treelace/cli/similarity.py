"""`treelace similarity`, `matrix` and `measures`: how alike pages are."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from treelace.cli.common import Output, expand, read_page
from treelace.cli.exits import Exit
from treelace.cli.families import Algorithm, algorithm_options, write_family
from treelace.cli.options import common_options, form_option, option
from treelace.errors import TreelaceError
from treelace.limits import Limits
from treelace.similarity import (
    DEFAULT,
    MEASURES,
    FeatureMeasure,
    Measure,
    measure_named,
    similarity_matrix,
)
from treelace.similarity.engine import compare_all, on_all_cores
from treelace.similarity.matrix_outputs import to_csv, to_json, to_npy, to_png

measure_options = partial(algorithm_options, "measure", example="window=2")
"""`--measure` and `--option`."""


@click.command("similarity")
@click.argument("left", metavar="A")
@click.argument("right", metavar="B")
@measure_options(DEFAULT)
@option("--explain", "Also a line about what the number comes from.")
@form_option(["text", "json"], "text", "How to write the answer.")
@common_options
def similarity_command(
    *,
    left: str,
    right: str,
    measure: Algorithm,
    explain: bool,
    form: str,
    output: Output,
    limits: Limits,
) -> None:
    """How alike A and B are, from 0 to 1.

    \b
    Examples:
      treelace similarity monday.html tuesday.html
      treelace similarity a.html b.html --explain
      treelace similarity a.html b.html --measure path-shingles --option window=2 --option k=128
      treelace similarity a.xml b.xml --measure fourier --option scheme=nested --to json
    """
    chosen = measure_named(measure.name, **measure.options)
    first, second = read_page(left, limits=limits), read_page(right, limits=limits)
    value = chosen.similarity(first, second)
    words = _explained(chosen, first, second) if explain else None
    if form == "json":
        answer: dict[str, Any] = {"measure": measure.name, "similarity": value}
        if words is not None:
            answer["explanation"] = words
        output.write(json.dumps(answer, ensure_ascii=False) + "\n")
    else:
        output.write(f"{value:.6f}\n" + (f"{words}\n" if words is not None else ""))


@click.command("measures")
@click.argument("name", required=False)
@form_option(["text", "json"], "text", "How to write the list.")
@common_options
def measures_command(*, name: str | None, form: str, output: Output, limits: Limits) -> None:
    """The measures there are, the default marked with a star.

    \b
    Examples:
      treelace measures
      treelace measures path-shingles   (its definition, and its options with their defaults)
      treelace measures --to json
    """
    write_family(MEASURES, DEFAULT, form, output, what="measure", name=name)


@click.command("matrix")
@click.argument("paths", metavar="PATHS…", nargs=-1, required=True)
@measure_options(DEFAULT)
@option(
    "--labels FILE",
    "CSV with `file,class`, files relative to it: pages are sorted by class, and the image"
    " shows the borders.",
)
@option(
    "--scale",
    "Colours of the image; rank for similarities close together.",
    click.Choice(["linear", "rank"]),
    default="linear",
)
@form_option(["csv", "npy", "json", "png"], "csv", "How to write the matrix.")
@common_options
def matrix_command(
    *,
    paths: tuple[str, ...],
    measure: Algorithm,
    labels: str | None,
    scale: str,
    form: str,
    output: Output,
    limits: Limits,
) -> Exit:
    """Similarities of all pairs of pages: files, and the pages in folders (.html, .htm, .xhtml,
    .xml, also .gz and .zst).

    A page that cannot be read is named on standard error and left out; the exit code is then 3.

    \b
    Examples:
      treelace matrix pages/               CSV: files in the first row and column
      treelace matrix pages/ --to png -o matrix.png --labels pages/labels.csv
      treelace matrix a.html b.html c.html --measure tag-weighted
      treelace matrix pages/ --to npy -o matrix.npy
    """
    chosen = measure_named(measure.name, **measure.options)
    places = expand(paths)
    classes = read_labels(labels) if labels else {}
    if classes:
        places = [place for place in places if file_key(place) in classes]
        places.sort(key=lambda place: classes[file_key(place)])
        if not places:
            raise click.UsageError(f"{labels}: names none of these pages")
    names, features, bad = read_features(places, chosen, output=output, limits=limits)
    values = matrix_of(features, chosen, output=output, limits=limits)
    if form == "csv":
        output.write(to_csv(values, names))
    elif form == "npy":
        output.write(to_npy(values))
    elif form == "json":
        output.write(to_json(values, names, measure=measure.name) + "\n")
    else:
        output.write(
            to_png(
                values,
                classes=[classes[file_key(name)] for name in names] if classes else None,
                scale="rank" if scale == "rank" else "linear",
            )
        )
    return Exit.BAD_INPUT if bad else Exit.DONE


def read_features(
    places: Sequence[str], measure: Measure, *, output: Output, limits: Limits
) -> tuple[list[str], list[Any], int]:
    """Features (or trees) of each readable page, on all cores; and how many were not."""
    keep: Callable[[Any], Any] = (
        measure.features if isinstance(measure, FeatureMeasure) else lambda tree: tree
    )

    def read(place: str) -> Any:
        try:
            return keep(read_page(place, limits=limits))
        except (TreelaceError, OSError) as error:
            return error

    names, features, bad = [], [], 0
    for place, result in zip(
        places,
        output.progress(on_all_cores(read, places), total=len(places), label="reading"),
        strict=True,
    ):
        if isinstance(result, Exception):
            bad += 1
            output.say_left_out(place, result)
        else:
            names.append(place)
            features.append(result)
    if bad:
        output.say(f"treelace: {bad} of {len(places)} pages left out")
    if not names:
        raise TreelaceError(f"none of {len(places)} pages could be read")
    return names, features, bad


def read_labels(path: str) -> dict[str, str]:
    """Class of each file of a CSV file with `file,class`, by its whole path."""
    classes = {}
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        try:
            if not {"file", "class"} <= set(rows.fieldnames or ()):
                raise click.UsageError(
                    f"{path}: the first line must name the columns file and class"
                )
            for row in rows:
                if not row["file"] or not row["class"]:
                    raise click.UsageError(f"{path}: line {rows.line_num} has no file or no class")
                classes[file_key(str(Path(path).parent / row["file"]))] = row["class"]
        except (UnicodeDecodeError, csv.Error) as error:
            raise click.UsageError(f"{path}: not a CSV file in UTF-8 ({error})") from error
    return classes


def file_key(place: str) -> str:
    """The whole path of a file, by which labels know it."""
    return os.path.realpath(place)


def matrix_of(features: list[Any], measure: Measure, *, output: Output, limits: Limits) -> Any:
    """The similarities of what `read_features` gave, with a progress bar."""
    bar = _Bar(output)
    try:
        if isinstance(measure, FeatureMeasure):
            return compare_all(measure.together(features), measure, progress=bar, limits=limits)
        return similarity_matrix(features, measure, progress=bar, limits=limits)
    finally:
        bar.close()


class _Bar:
    """A progress bar for pairs, where a person is watching."""

    def __init__(self, output: Output) -> None:
        self._bar: Any = None
        if output.shows_progress:
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("comparing", total=None)
            self._bar.start()

    def __call__(self, done: int, total: int) -> None:
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total)

    def close(self) -> None:
        """Takes the bar away."""
        if self._bar is not None:
            self._bar.stop()


def _explained(measure: Measure, left: Any, right: Any) -> str:
    explain = getattr(measure, "explain", None)
    return explain(left, right) if explain is not None else _first_sentence(type(measure))


def _first_sentence(cls: type) -> str:
    return (cls.__doc__ or "").strip().split("\n", 1)[0]
