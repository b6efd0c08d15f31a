"""What both URI specifications need: text and components, percent-encoding, hidden passwords, the engine."""
