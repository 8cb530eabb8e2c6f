"""Family 1: bank conflicts, broadcasts, and the layouts that avoid them."""
