"""The language server: findings while typing, derivations on hover. Needs the extra `server`.

Goes in: documents and edits. Comes out: diagnostics, hints, edits. Only this room knows the
protocol.
"""
