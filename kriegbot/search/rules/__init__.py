"""Backup rules, one to a file; `kriegbot.search.backup` describes them."""
