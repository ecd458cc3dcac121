"""Google ADK: `App(name="shop", root_agent=agent, plugins=[OutcomePlugin("contracts.json")])`."""

from typing import Any, Unpack

from outcome_monitors.exceptions import MissingExtra
from outcome_monitors.jsonvalue.canonical import of_response
from outcome_monitors.receipts.carriers import KEY

from ._observer import REPORTED, Observed, Options, ToolCallObserver, Watched, safely

try:
    from google.adk.plugins.base_plugin import BasePlugin
except ImportError as error:
    raise MissingExtra("the Google ADK adapter", "google-adk", "google-adk") from error

__all__ = ["OutcomePlugin"]


class OutcomePlugin(BasePlugin):  # type: ignore[misc]  # not typed where it is not installed
    """Checks the result of every tool of a runner. Put it last: a plugin that changes a result ends the row."""

    def __init__(
        self,
        watch: Watched | None = None,
        name: str = "outcome_contracts",
        **options: Unpack[Options],
    ) -> None:
        super().__init__(name)
        self._observer = ToolCallObserver(watch, **options)

    async def after_tool_callback(
        self, *, tool: Any, tool_args: Any, tool_context: Any, result: Any
    ) -> dict[str, Any] | None:
        """Return the result with a receipt beside it, or None, by which the result stays as it is."""
        changed = await self._observer.hand_on_later(
            result, _described, tool.name, tool_args, tool_context, result
        )
        return None if changed is result else changed

    async def on_tool_error_callback(
        self, *, tool: Any, tool_args: Any, tool_context: Any, error: BaseException
    ) -> dict[str, Any] | None:
        """Note a call that raised, and leave it to the others."""
        self._observer.skip(
            safely(None, _run_of, tool_context), tool.name, f"the call raised {type(error).__name__}"
        )
        return None


def _described(tool: str, arguments: Any, context: Any, result: Any) -> Observed:
    failed = isinstance(result, dict) and result.get("isError") is True
    # A function may put what is no object into one by itself, as the framework does for models and in its spans.
    value = of_response(result)
    return Observed(
        _run_of(context),
        tool,
        arguments,
        value,
        _with,
        call=context.function_call_id,
        skip=REPORTED if failed else "",
    )


def _with(result: Any, receipt: Any) -> Any:
    # What is no object gets the key that the framework itself gives it.
    given = result if isinstance(result, dict) else {"result": result}
    return result if KEY in given else {**given, KEY: receipt}


def _run_of(context: Any) -> str | None:
    session = context.session
    return f"{session.app_name}/{session.user_id}/{session.id}" if session is not None else None
