"""`python -m kernlint` is `kernlint`."""

import sys

from kernlint.cli.main import main

sys.exit(main())
