"""What people see of an app: its page, its files, its source."""
