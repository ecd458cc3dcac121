"""Where state is kept: a folder of one host (`folder`), or what a fleet shares, behind one protocol (`storage`); `opening` gives either."""
