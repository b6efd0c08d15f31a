"""Trees, rules and automata as pictures: text for browsers and for Graphviz, with nothing from elsewhere."""
