"""The bot's HTTP APIs: the lane's, and the one for operators."""
