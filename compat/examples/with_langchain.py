"""LangChain."""

import sys

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from outcome_monitors.adapters.langchain import OutcomeMiddleware

create_agent(FakeListChatModel(responses=[]), middleware=[OutcomeMiddleware(sys.argv[1])])
