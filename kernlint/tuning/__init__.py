"""Other layouts of shared arrays and other blocks, each analysed as a whole and ranked by estimated
time.

Goes in: facts and sources. Comes out: ranked forms. Never prints.
"""
