"""Transcripts of the first five minutes, made by the program itself: ``python -m dev.transcripts`` writes them."""
