"""The one form of a result: the JSON that it stands for, whatever it came as.

Any object comes in, from a trace line, a framework or a wire; plain JSON values go out, the very same object where it is plain already.
Nothing here raises, changes what it is given, imports a library of the host, or reads without a bound.
"""

from .form import NOT_JSON, PLAIN, arguments_of, canonical, is_plain, made_plain
from .texts import LONGEST, read_text, scalar_in
from .wrappers import of_response

__all__ = [
    "LONGEST",
    "NOT_JSON",
    "PLAIN",
    "arguments_of",
    "canonical",
    "is_plain",
    "made_plain",
    "of_response",
    "read_text",
    "scalar_in",
]
