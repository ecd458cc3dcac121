"""Learning contracts from live traffic: recording, mining beside it, and the rollout of what was mined."""
