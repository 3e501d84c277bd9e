"""Words, bigrams, symbols and dates: how compute text and questions become index terms."""
