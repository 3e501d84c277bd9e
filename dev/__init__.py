"""Programs for working on HomeAgent: what is measured, checked and written about the code itself. Not installed."""
