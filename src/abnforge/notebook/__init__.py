"""What Jupyter shows of grammars, rules, trees, rejections and results: HTML beside their repr.

Nothing has to be switched on: the values have ``_repr_html_``. ``lark.Tree`` is Lark's, so a parse tree to be
looked at is made by :func:`tree`. The HTML has no script, no style sheet, no identifiers and nothing from
elsewhere; it is legible on light pages and on dark ones; and it is bounded: what is left out is told.
"""

from abnforge.notebook.trees import Tree, tree

__all__ = ["Tree", "tree"]
