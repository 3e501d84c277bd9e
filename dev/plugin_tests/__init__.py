"""How ``python -m pytest plugins`` runs each plugin's tests in that plugin's own environment."""
