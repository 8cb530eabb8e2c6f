"""The time of a kernel launch from its facts: instructions, memory traffic, latency, occupancy; see docs/estimate.md."""
