"""The builder lane: claims a document, builds it, publishes it, reports; it knows the bot as a URL and a token."""
