"""The compatibility matrix: adapters in their frameworks, and the proxy between real clients and real servers."""
