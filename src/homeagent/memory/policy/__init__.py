"""Policies: which one holds, saying what they are, what a change touches, and trying one out."""
