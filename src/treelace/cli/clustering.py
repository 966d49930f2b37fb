"""`treelace cluster` and `classify`: pages into groups, and into classes known by example."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

import click

from treelace import look
from treelace.classes import UNCLASSIFIED, PageClassifier, PageClusterer
from treelace.classes.classifier import Verdict
from treelace.cli.common import Output, expand
from treelace.cli.exits import Exit
from treelace.cli.families import Algorithm
from treelace.cli.options import common_options, form_option, option
from treelace.cli.similarity import matrix_of, measure_options, read_features, read_labels
from treelace.limits import Limits
from treelace.similarity import DEFAULT, measure_named
from treelace.similarity.measures.design import Design


@click.command("cluster")
@click.argument("paths", metavar="PATHS…", nargs=-1, required=True)
@option("-k N as count", "How many clusters; found if not given.", click.IntRange(1))
@option(
    "--threshold S",
    "Clusters are pages tied, one to the next, by similarities of S or more.",
    float,
)
@option(
    "--method",
    "Each page with the page it is most like, or with one of N central pages (k-medoids).",
    click.Choice(["linked", "medoids"]),
    default="linked",
)
@measure_options(Design.name)
@form_option(["csv", "json", "html"], "csv", "How to write the clusters.")
@common_options
def cluster_command(
    *,
    paths: tuple[str, ...],
    count: int | None,
    threshold: float | None,
    method: Any,
    measure: Algorithm,
    form: str,
    output: Output,
    limits: Limits,
) -> Exit:
    """Pages that are alike, together: files, and the pages in folders (.html, .htm, .xhtml, .xml,
    also .gz and .zst).

    Clusters are numbered from 1 in the order of their first pages. A page that cannot be read is
    named on standard error and left out; the exit code is then 3.

    \b
    Examples:
      treelace cluster pages/                       file,cluster
      treelace cluster pages/ -k 5 --to json        with the most central page of each cluster
      treelace cluster pages/ --to html -o clusters.html
      treelace cluster pages/ -k 5 --method medoids --measure path-binary
    """
    if count is not None and threshold is not None:
        raise click.UsageError("-k and --threshold say two different things: give one of them")
    if method == "medoids" and count is None:
        raise click.UsageError("--method medoids needs -k N")
    chosen = measure_named(measure.name, **measure.options)
    names, features, bad = read_features(expand(paths), chosen, output=output, limits=limits)
    if count is not None and count > len(names):
        raise click.UsageError(
            f"-k {count} asks for more clusters than there are pages ({len(names)})"
        )
    similarities = matrix_of(features, chosen, output=output, limits=limits)
    found = PageClusterer(
        count, measure=chosen, method=method, threshold=threshold
    ).fit_similarities(similarities)
    labels, medoids = (found.labels_ + 1).tolist(), found.medoids_.tolist()
    output.explain(f"{len(medoids)} clusters of {len(names)} pages")
    if form == "csv":
        output.write(_csv(["file", "cluster"], zip(names, labels, strict=True)))
        return Exit.BAD_INPUT if bad else Exit.DONE
    clusters = [
        {
            "cluster": number,
            "central": names[medoid],
            "files": [name for name, label in zip(names, labels, strict=True) if label == number],
        }
        for number, medoid in enumerate(medoids, 1)
    ]
    if form == "json":
        output.write(
            json.dumps({"measure": measure.name, "clusters": clusters}, ensure_ascii=False) + "\n"
        )
    else:
        output.write(_clusters_page(clusters))
    return Exit.BAD_INPUT if bad else Exit.DONE


@click.command("classify")
@click.argument("paths", metavar="PATHS…", nargs=-1, required=True)
@option(
    "--train LABELS.CSV as labels",
    "CSV with `file,class`, files relative to it: the examples.",
    required=True,
)
@option(
    "--mode",
    "Near enough to some page of the class, or to each of them.",
    click.Choice(["any", "strict"]),
    default="any",
)
@option("-k N as votes", "So many nearest examples vote.", click.IntRange(1), default=1)
@option(
    "--threshold S",
    "How alike a page of a class has to be; learnt from the examples if not given.",
    float,
)
@measure_options(DEFAULT)
@form_option(["csv", "json"], "csv", "How to write the classes.")
@common_options
def classify_command(
    *,
    paths: tuple[str, ...],
    labels: str,
    mode: Any,
    votes: int,
    threshold: float | None,
    measure: Algorithm,
    form: str,
    output: Output,
    limits: Limits,
) -> Exit:
    """The class of each page, learnt from examples, or `unclassified`: near to no class.

    The similarity is that with the nearest class, joined or not. A page that cannot be read, an
    example too, is named on standard error and left out; the exit code is then 3.

    \b
    Examples:
      treelace classify new/ --train labels.csv             file,class,similarity
      treelace classify new/ --train labels.csv --to json   with the nearest class and its threshold
      treelace classify new/ --train labels.csv --mode strict
      treelace classify new/ --train labels.csv --measure path-shingles -k 5
    """
    if mode == "strict" and votes > 1:
        raise click.UsageError(
            "in mode strict every example of a class has a say: -k is for mode any"
        )
    chosen = measure_named(measure.name, **measure.options)
    classes = read_labels(labels)
    if not classes:
        raise click.UsageError(f"{labels}: no examples in it")
    examples, learnt, bad_examples = read_features(
        list(classes), chosen, output=output, limits=limits
    )
    classifier = PageClassifier(measure=chosen, mode=mode, k=votes, threshold=threshold).fit(
        learnt, [classes[name] for name in examples]
    )
    names, features, bad = read_features(expand(paths), chosen, output=output, limits=limits)
    verdicts = classifier.classify(features)
    rows = [
        (name, UNCLASSIFIED if verdict.label is None else verdict.label, verdict)
        for name, verdict in zip(names, verdicts, strict=True)
    ]
    output.write(_verdicts(rows, form))
    return Exit.BAD_INPUT if bad or bad_examples else Exit.DONE


def _verdicts(rows: Sequence[tuple[str, str, Verdict]], form: str) -> str:
    """The files with their classes, as CSV or JSON."""
    if form == "csv":
        return _csv(
            ["file", "class", "similarity"],
            ((name, label, f"{verdict.similarity:.6f}") for name, label, verdict in rows),
        )
    answer = [
        {
            "file": name,
            "class": label,
            "similarity": verdict.similarity,
            "nearest": verdict.nearest,
            "threshold": verdict.threshold,
        }
        for name, label, verdict in rows
    ]
    return json.dumps(answer, ensure_ascii=False) + "\n"


def _csv(head: Sequence[str], rows: Any) -> str:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(head)
    table.writerows(rows)
    return out.getvalue()


def _clusters_page(clusters: list[dict[str, Any]]) -> str:
    """A page for people: each cluster with its most central page and its files."""
    parts = []
    for cluster in clusters:
        items = "".join(f"<li>{look.escape(file)}" for file in cluster["files"])
        size = len(cluster["files"])
        central = look.escape(cluster["central"])
        parts.append(
            f"<details{' open' if size <= 20 else ''}><summary>Cluster {cluster['cluster']}: {size}"
            f" page{'s' * (size != 1)}, like <code>{central}</code></summary><ul>{items}</ul>"
            "</details>"
        )
    style = "main { max-width: 60em; margin: 2em auto; padding: 0 1em; }"
    body = f"<main>{''.join(parts)}</main>"
    return look.page(f"{len(clusters)} clusters", body, style=style)
