"""Family 2: uncoalesced accesses, gathers, contended atomics, reloads, and how to move less."""
