"""smolagents."""

import sys

from smolagents import Model, ToolCallingAgent

from outcome_monitors.adapters.smolagents import watched

watched(ToolCallingAgent(tools=[], model=Model()), sys.argv[1])
