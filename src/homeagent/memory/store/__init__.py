"""Where the log and the derived half live. All SQL of the memory is in this folder."""
