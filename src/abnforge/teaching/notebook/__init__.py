"""HTML views of grammars, rules, trees, rejections and results in Jupyter, in addition to their repr.

The values have ``_repr_html_``, so that views need no setup. ``lark.Tree`` belongs to Lark: :func:`tree`
returns a parse tree with a view. The HTML is self-contained, without scripts, style sheets and identifiers.
It is legible on light and dark pages. Its size is bounded, and it shows the number of omitted parts.

Read first: ``pages`` (elements of HTML, then one function for each class). No other package imports this one,
except ``abnforge`` lazily.
"""

from abnforge.teaching.notebook.pages import Tree, tree

__all__ = ["Tree", "tree"]
