"""A folder for an evaluator's ``PYTHONPATH``; its one module is Python's ``sitecustomize``, without imports of ours."""
