"""What a call becomes: bodies lowered in place, built-in and library functions (`intrinsics.toml`),
inline assembly."""
