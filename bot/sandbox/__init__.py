"""A small Bluesky for the demo and the tests: the network as plain data, and the routes that the bot uses."""
