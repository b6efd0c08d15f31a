"""What people and programs get to see: one format a file."""
