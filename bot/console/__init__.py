"""The console: what operators and viewers see and do in a browser, on the admin listener."""
