"""kernlint: what the profiler would tell about a GPU kernel, from its source alone."""

__version__ = "0.2.0.dev0"
