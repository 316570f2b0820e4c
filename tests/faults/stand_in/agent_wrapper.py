"""Stands in for the file through which the evaluators call the agent. Python 3.7 and later."""


class AgentWrapper:
    def __init__(self, agent):
        self._agent = agent

    def __call__(self):
        return self._agent()
