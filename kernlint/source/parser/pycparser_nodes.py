"""pycparser's base of all nodes, without the package's own lexer and parser.

To import `pycparser` imports those too, which nothing here uses: a fortieth of the time that a
small file takes. Comes out: `Node`.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pycparser.c_ast import Node
else:

    def _alone() -> Any:
        """The module `pycparser.c_ast`, also for whoever imports the package later."""
        package = find_spec("pycparser")
        folders = None if package is None else package.submodule_search_locations
        spec = PathFinder.find_spec("pycparser.c_ast", folders)
        if "pycparser" in sys.modules or spec is None or spec.loader is None:
            from pycparser import c_ast

            return c_ast
        sys.modules[spec.name] = module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    Node = _alone().Node

__all__ = ["Node"]
