"""The evaluation set: forty asks, what must be true of the apps, and how a generator does on them."""
