"""Laws: what an access costs for every size, as sympy expressions.

In: a lowered kernel, its launch, a device. Out: per access its index, its requests and its
wavefronts or sectors as formulas over unknown arguments, grid and loop counters, with the domain
in which they hold, or the reason why there is none. Never: a formula that some counted launch
contradicts. The one room that imports sympy, and only when a law is asked for.
"""
