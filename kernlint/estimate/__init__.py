"""The time of a launch from its facts: instructions, memory traffic, latency, occupancy
(docs/estimate.md).

Goes in: facts. Comes out: cycles and microseconds with what they leave out. Never changes a count.
"""
