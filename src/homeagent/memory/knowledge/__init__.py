"""The graph as people ask it: facts in time, who is who in them, and what is written on purpose."""
