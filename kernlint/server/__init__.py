"""The language server: findings while typing, the derivation of a number on hover. Needs the extra `server`."""
