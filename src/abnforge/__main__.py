"""``python -m abnforge`` is the ``abnforge`` command."""

from abnforge.cli import main

if __name__ == "__main__":
    main()
