"""What operators can see and do, the same from a terminal, over HTTP and in the console."""
