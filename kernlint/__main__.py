"""`python -m kernlint` is `kernlint`."""

import sys

from kernlint.cli import main

sys.exit(main())
