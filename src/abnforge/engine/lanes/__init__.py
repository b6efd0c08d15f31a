"""Ways to read a string by a rule. Each gives the same verdict, offset and tree."""
