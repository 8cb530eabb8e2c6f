"""Host code run by the machine of kernels with one lane.

In: lowered host functions and what the command line decides of them. Out: the launches that they
reach, with arguments and allocations. Never lowers code.
"""
