"""Where state is kept: a folder of one host, or what a fleet shares (`shared`); what is written there is labelled."""
