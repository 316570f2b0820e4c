"""Small programs with the command lines and result files of the real evaluators, which misbehave when told to.

``BESTRAND_STAND_IN`` gives orders with commas between, the first that fits holds: ``[ROUTE:]KIND[=VALUE][@ATTEMPTS]``,
attempts as ``2``, ``1-3`` or ``2+``; these need a folder in ``BESTRAND_STAND_IN_STATE``, where starts of a route with a
seed are counted. ``orders.KINDS`` lists the kinds.
``BESTRAND_STAND_IN_SERVER=none``: neither start a server nor connect to one. ``BESTRAND_STAND_IN_CARLA=real``: use the
real client (which hangs neither in loads nor in ticks). ``BESTRAND_STAND_IN_TICKS``: steps of a drive (20).
"""
