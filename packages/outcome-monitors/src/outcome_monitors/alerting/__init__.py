"""What reaches the agent: the severity of violations, change detection, suppression by people's decisions, the list of policies."""
