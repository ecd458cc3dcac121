"""The commands of a team; `outcome-monitors` lists them."""
