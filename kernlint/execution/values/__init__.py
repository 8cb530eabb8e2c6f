"""Numbers and truth values over lanes, blocks and iterations: known sums, unknown atoms, masks, C's
arithmetic on them."""
