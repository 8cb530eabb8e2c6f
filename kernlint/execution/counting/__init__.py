"""From requests to counters: which rows of lanes execute, what the hardware counts for each, and
how far that holds."""
