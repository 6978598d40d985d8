"""The bot's account on the network: sessions, reading, and the one write."""
