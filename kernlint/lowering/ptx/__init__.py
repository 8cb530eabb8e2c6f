"""PTX modules to the same intermediate form: control flow back to structure, registers to typed
variables."""
