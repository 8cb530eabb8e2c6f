"""The type of syntax nodes in annotations: a node's attributes depend on its class (see
`kernlint.source.parser.tree`), so it is Any."""

from __future__ import annotations

from typing import Any

Node = Any
