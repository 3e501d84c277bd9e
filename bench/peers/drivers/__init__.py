"""What runs in a peer's environment: standard library, the peer, and nothing of HomeAgent's but in its own driver."""
