"""The generator `llm`: a language model writes the app, over HTTP, within a budget."""
