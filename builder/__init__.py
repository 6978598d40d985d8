"""The builder lane: claims a document, builds the app, publishes it and reports; it knows the bot as a URL and a token."""
