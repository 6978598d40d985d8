"""From settings to parts: one small module a part, so that a lane loads only what it works with."""
