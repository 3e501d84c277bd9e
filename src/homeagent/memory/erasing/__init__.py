"""Taking back: what is forgotten can be brought back, what is erased is gone, and its absence is proved."""
