"""What /metrics tells, for Prometheus."""
