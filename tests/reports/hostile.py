"""Texts that would do harm if they became markup."""

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style><script>",
    "]]><!--",
    "&lt;b&gt; &amp; &#x3c;",
    "\x00\x1b[2J\ud800\u202e\ufffe",
    "<!DOCTYPE html>",
)
