"""Ways to turn an ask into an app."""
