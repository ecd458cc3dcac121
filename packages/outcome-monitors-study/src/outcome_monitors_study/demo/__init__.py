"""The demonstration: the main job, start to finish, on the built-in tool world.

Clean runs are traced, contracts are mined from them, and scripted agents carry the workflows out under silent faults,
without the monitor and with it. No workflow is ever judged by contracts that were learned from it. The agents are
scripts, not models: the demonstration shows what the monitor sees and what heeding it does, not what a model would do.
"""

from ._demonstration import demonstrate, run
from ._settings import DemoProgress, DemoSettings
from .examples import Example
from .figures import Figures

__all__ = ["DemoProgress", "DemoSettings", "Example", "Figures", "demonstrate", "run"]
