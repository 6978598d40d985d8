"""What operators type: one module a command, each imported when it is used."""
