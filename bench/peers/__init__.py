"""Other memories, measured on the same questions: each in an environment of its own, spoken to in JSON lines."""
