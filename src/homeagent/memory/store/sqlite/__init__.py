"""The default stores: two SQLite files, ``log.db`` and ``derived.db``."""
