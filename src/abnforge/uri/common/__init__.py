"""What the components of both URI specifications have in common."""
