"""HomeAgent: a self-hosted personal agent whose raw memory is final and whose computed memory is disposable."""

__version__ = "0.1.0"

__all__ = ["__version__"]
