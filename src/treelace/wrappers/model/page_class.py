"""The page class of a wrapper's file: a sketch of its pages, and how alike a page must be.

A file knows no other classes, so this is no classifier: it only keeps `wrap apply` from reading a
page that has nothing to do with it. Which class a page of a site belongs to is for `classes` to
say, and the loop does not ask here.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence

from treelace import _kernel
from treelace.errors import DamagedError, WrapperError
from treelace.limits import DEFAULT_LIMITS
from treelace.tree import Tree
from treelace.wrappers.model.form import ClassForm

SKETCH_SIZE = 224
"""Numbers in a sketch."""

MIN_SHARE_OF_OWN_SIMILARITY = 0.5
"""A page must be this share as alike to the class as the pages that it was learnt from are."""

MIN_SIMILARITY = 0.2
"""How alike a page must be at least, however different the learnt pages are."""

MIN_SIMILARITY_TO_ONE_PAGE = 0.35
"""How alike a page must be to the only page that a wrapper was learnt from."""


def sketch_of(page: Tree) -> _kernel.Features:
    """The sketch of a page's structure."""
    return _kernel.structure_features(page.kernel, SKETCH_SIZE, 0, DEFAULT_LIMITS)


def sketch_similarity(left: _kernel.Features, right: _kernel.Features) -> float:
    """How alike two sketches are, from 0 to 1."""
    return _kernel.compare(left, right, "family-sketch", DEFAULT_LIMITS)


def learn_class(pages: Sequence[Tree]) -> ClassForm:
    """The class of pages: the sketch of the most central page, and the similarity it asks for."""
    sketches = [sketch_of(page) for page in pages]
    if len(sketches) == 1:
        best, threshold = 0, MIN_SIMILARITY_TO_ONE_PAGE
    else:
        alike = [[sketch_similarity(left, right) for right in sketches] for left in sketches]
        best = max(range(len(pages)), key=lambda number: (sum(alike[number]), -number))
        threshold = max(MIN_SIMILARITY, MIN_SHARE_OF_OWN_SIMILARITY * min(alike[best]))
    return ClassForm(
        base64.b64encode(sketches[best].to_bytes()).decode("ascii"), round(threshold, 3)
    )


def decoded_sketch(page_class: ClassForm) -> _kernel.Features:
    """The sketch of a class as the file has it."""
    try:
        return _kernel.Features.from_bytes(base64.b64decode(page_class.sketch, validate=True))
    except (DamagedError, ValueError, binascii.Error) as error:
        raise WrapperError(
            f"wrapper, $.page_class.sketch: expected the sketch that treelace wrote ({error})"
        ) from error
