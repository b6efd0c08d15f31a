"""The playground: the calls of its web page, and the page itself."""
