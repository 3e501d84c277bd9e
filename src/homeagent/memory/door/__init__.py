"""The door: the one way from raw text to compute text, through policies, cleaners and quotes."""
