"""Ways to bring an app to where the public can open it."""
