"""From a question to ranked hits: candidates, fusion, neighbours, answerability. Reads computed data only."""
