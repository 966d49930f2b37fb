"""Small decisions about classes of pages, on both sides."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import numpy as np
import pytest

from treelace import UsageError, parse
from treelace.classes.estimator import as_matrix
from treelace.classes.linkage import Partition, mergers
from treelace.classes.medoids import faster_pam
from treelace.classes.pages import Fetched
from treelace.wrappers import Wrapper
from treelace.wrappers.apply.health import page_trouble

ROWS = 6


def shop(*prices: str):
    rows = "".join(
        f"<li class=item><h3>thing {i} of six</h3><b class=price>{price}</b><p>about {i} and"
        " more</p></li>"
        for i, price in enumerate(prices)
    )
    return parse(f"<body><ul class=t>{rows}</ul></body>")


GOOD = [f"{i}.50 €" for i in range(ROWS)]


@pytest.fixture(scope="module")
def wrapper() -> Wrapper:
    return Wrapper.learn([shop(*GOOD)])


@pytest.mark.parametrize(
    ("value", "number", "trouble"),
    [
        ("", 0, ""),
        ("", 3, ""),
        ("", 4, "the column 'price' is empty in 4 of 6 records"),
        ("on request", 3, ""),
        ("on request", 4, "the column 'price' does not read as price in 4 of 6 records"),
    ],
)
def test_most_records_have_what_all_had(wrapper, value, number, trouble):
    page = shop(*[value] * number, *GOOD[number:])
    (table, *_) = wrapper.apply(page, force=True)
    assert page_trouble(table, wrapper.regions[0]) == trouble


@pytest.mark.parametrize(
    ("url", "content_type", "body", "format"),
    [
        ("http://a.example/a.xml", "text/html; charset=utf-8", b"<a/>", "html"),
        ("http://a.example/a", "Application/XHTML+xml", b"<a/>", "html"),
        ("http://a.example/a", "text/xml", b"<p>", "xml"),
        ("http://a.example/a.html", "application/rss+xml", b"<p>", "xml"),
        ("http://a.example/a.xml?b.html", "", b"<a/>", "xml"),
        ("http://a.example/a", "", b"<!DOCTYPE html><p>", "html"),
    ],
)
def test_a_page_is_html_or_xml(url, content_type, body, format):
    assert Fetched(url, datetime(2026, 1, 1, tzinfo=UTC), 200, body, content_type).format == format


@pytest.mark.parametrize(
    ("status", "is_page"), [(199, False), (200, True), (299, True), (300, False)]
)
def test_a_page_is_what_was_asked_for(status, is_page):
    page = Fetched("http://a.example/", datetime(2026, 1, 1, tzinfo=UTC), status, b"")
    assert page.is_page is is_page


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ([[1j]], UsageError, "Complex data not supported: similarities are real numbers."),
        ([["a"]], UsageError, "with measure='precomputed', X is a matrix of similarities: could"),
        ([[None, {}]], TypeError, "with measure='precomputed', X is a matrix of similarities: "),
    ],
)
def test_what_is_no_matrix_of_similarities_is_said(values, error, words):
    with pytest.raises(error, match=re.escape(words)):
        as_matrix(values)


def test_a_page_as_near_to_both_sides_stays_with_the_first():
    near = np.full((5, 5), 0.1)
    near[:2, :2] = near[2:4, 2:4] = 0.9
    near[4, :4] = near[:4, 4] = 0.05
    np.fill_diagonal(near, 1.0)
    groups = Partition(near, mergers(near))
    groups.split()
    assert groups.labels.tolist() == [0, 0, 1, 1, 0]
    near[4, 3] = near[3, 4] = 0.06
    groups = Partition(near, mergers(near))
    groups.split()
    assert groups.labels.tolist() == [0, 0, 1, 1, 1]


def test_every_page_its_own_medoid_stays_so():
    distances = 1 - np.eye(3)
    for medoids in ([], [0, 1, 2]):
        assert faster_pam(distances, np.array(medoids, dtype=np.int64)).tolist() == medoids
    line = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    assert faster_pam(line, np.array([0])).tolist() == [2]
