"""What the tests let the real client do, each program a function of a session.

They run in processes of their own under a client's own Python, which may be as old as 3.8, and import nothing but
``carla`` and the standard library.
"""
