"""`kernlint tune`: other layouts of shared arrays and other blocks, each analysed as a whole and ranked by estimated time."""
