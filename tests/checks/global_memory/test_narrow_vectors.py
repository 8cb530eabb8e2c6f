"""KL207 where only a part of a warp takes part."""

from __future__ import annotations

from tests.support.found import of_case


def test_the_bytes_of_half_a_warp_are_those_of_its_lanes() -> None:
    """16 lanes of 2 bytes in steps of 16 elements: one whole sector in each request."""
    (finding,) = of_case("KL207", "advice/kl207.cu")
    assert "the warp 32 of the 128 bytes of a cache line" in finding.message
    assert "not all rows of" not in finding.help
