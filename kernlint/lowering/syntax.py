"""The type of syntax nodes in annotations: which attributes a node has depends on its class (see `kernlint.source.tree`), so it is Any here."""

from __future__ import annotations

from typing import Any

Node = Any
