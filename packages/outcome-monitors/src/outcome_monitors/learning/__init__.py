"""Learning contracts from live traffic.

`recorder` writes calls as trace lines, `miner` mines them beside the running proxy (`flagged_evidence` says which flagged results count),
`rollout` decides on the stage of each tool and clause, `progress` and `rollout_store` keep it, `learner` joins these for one process,
`decisions` are those of people, and `status` says where everything stands.
"""
