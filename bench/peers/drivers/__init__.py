"""What runs inside a peer's own environment: standard library, the peer, and nothing of HomeAgent's."""
