"""The little apps that the generator `template` can make: one module and one page each."""
