"""The engine: one thread that decides what is run next and what becomes of what has ended; who runs it is a crew's."""
