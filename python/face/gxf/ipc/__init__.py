"""Components that speak to other processes."""
