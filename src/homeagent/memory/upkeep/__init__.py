"""Looking after a home: backups, restoring, how long hidden outputs stay, and what is due."""
