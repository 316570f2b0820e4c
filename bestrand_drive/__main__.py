"""``python -m bestrand_drive`` is the ``bestrand`` command."""

from bestrand_drive.cli.entry import main

if __name__ == "__main__":
    main()
