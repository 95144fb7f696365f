"""What pages show of sweeps."""
