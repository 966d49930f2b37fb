"""Deltas that claim more than they hold."""

from __future__ import annotations

import pytest

import treelace as tl
from treelace.errors import DeltaError


def test_a_delta_that_claims_four_thousand_million_nodes_is_refused():
    """Writing it out as numbers took 32 GB, and ended the process."""
    delta = tl.diff(
        tl.parse("<a><b/></a>", format="xml"), tl.parse("<a><b/><c/></a>", format="xml")
    )
    written = delta.to_xml(long=True)
    claims = written.replace('<d:to map="1;3;2"/>', '<d:to map="1-4000000000"/>')
    assert claims != written
    with pytest.raises(DeltaError, match="no list of runs"):
        (~tl.Delta.from_xml(claims)).to_bytes()
