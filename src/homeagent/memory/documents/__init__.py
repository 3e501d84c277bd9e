"""Documents: turns of one matter put away together, with what can be said of them in short. Compute text only."""
