"""What people write instead of what a grammar says: mistakes as rules, and readings of strings by them."""
