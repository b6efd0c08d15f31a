"""The playground: what a page asks of a grammar and a string while somebody types, and the page itself."""
