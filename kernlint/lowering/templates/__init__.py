"""Template arguments: stated, deduced, assumed; specialisations, packs and `enable_if`; which overload
a call means."""
