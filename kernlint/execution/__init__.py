"""Execution of lowered kernels over all lanes and blocks at once: source-level SIMT execution turned into facts."""
