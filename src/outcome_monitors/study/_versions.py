"""Which programs a study was frozen with: another version of a provider's client may ask in other words."""

import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

__all__ = ["versions"]

CLIENTS = {
    "anthropic": "anthropic",
    "azureai": "azure-ai-inference",
    "bedrock": "aioboto3",
    "google": "google-genai",
    "groq": "groq",
    "mistral": "mistralai",
}
"""The package with which inspect_ai asks a provider; the others speak OpenAI's form, and are asked with `openai`."""
NO_CLIENT = {"mockllm", "none", "hf"}


def versions(models: Iterable[str]) -> dict[str, str | None]:
    """Return the version of Python, of this package, and of what asks the models; None for what is not installed."""
    providers = {model.partition("/")[0] for model in models}
    clients = {CLIENTS.get(provider, "openai") for provider in providers - NO_CLIENT}
    asking = ("inspect-ai", *sorted(clients)) if providers else ()
    return {
        "python": platform.python_version(),
        **{name: _version(name) for name in ("outcome-monitors", *asking)},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
