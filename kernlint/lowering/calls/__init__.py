"""What a call means: overloads, bodies lowered in place, built-in and library functions
(`intrinsics.toml`), inline assembly."""
