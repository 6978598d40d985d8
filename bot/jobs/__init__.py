"""The bot's jobs: each a plain function that does its work once and says what it did."""
