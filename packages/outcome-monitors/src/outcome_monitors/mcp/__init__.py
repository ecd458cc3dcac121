"""The proxy: a relay in front of any MCP server that adds receipts to results that break their contract.

It works on the wire and knows no SDK. On standard input and output it needs nothing but this package; over HTTP it needs
the extra `proxy-http`.
"""

from .context import ProxyContext, TimeLimit
from .session import JsonRpcSession

__all__ = ["JsonRpcSession", "ProxyContext", "TimeLimit"]
