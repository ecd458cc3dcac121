"""Which script and which language a text is written in, as far as its letters and its smallest words tell."""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

__all__ = ["language_of", "script_of"]

LEAST_LETTERS = 6
LEAST_WORDS = 4
"""Small words of a language that a text must have, at least three different ones;"""
LEAST_LEAD = 2
"""and so many times as many as of any other."""
LONGEST = 4000
"""Characters that are looked at."""

_WORDS = {
    "de": "der die das und ist nicht ein eine den dem mit für auf von zu sich auch werden wurde sind ihre oder bei",
    "en": "the and of to is in that for with was are this be on not have by from or it as at an your you",
    "es": "el los las y es en que del por con para una no se su al lo como más sus pero fue está",
    "fr": "le les et est dans que des du une pour pas avec sur ce qui au aux vous votre sont cette ou par",
    "it": "il gli di e è che la della per una non con sono del nel alla le dei questo come più ma",
    "nl": "de het een en van is dat niet op te zijn voor met die aan er ook naar bij wordt deze om",
    "pt": "os as e é que do da em um uma para não com por dos das no na se mais como foi sua ao",
}
_WORDS_OF = {name: frozenset(words.split()) for name, words in _WORDS.items()}
_LANGUAGES: dict[str, frozenset[str]] = {
    word: frozenset(name for name, words in _WORDS_OF.items() if word in words)
    for words in _WORDS_OF.values()
    for word in words
}
_WORD = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=4096)
def script_of(text: str) -> str:
    """Return the script that most letters of a text are of; nothing of a text with few letters."""
    letters = [character for character in text[:LONGEST] if character.isalpha()]
    if len(letters) < LEAST_LETTERS:
        return ""
    if text.isascii():
        return "LATIN"
    [(script, count)] = Counter(map(_script, letters)).most_common(1)
    return script if 2 * count > len(letters) else ""


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


@lru_cache(maxsize=4096)
def language_of(text: str) -> str:
    """Return the language that a text is in, where it is sure to be one of a few; else nothing."""
    counts: Counter[str] = Counter()
    different: dict[str, set[str]] = {}
    for word in _WORD.findall(text[:LONGEST].lower()):
        for name in _LANGUAGES.get(word, ()):
            counts[name] += 1
            different.setdefault(name, set()).add(word)
    if not counts:
        return ""
    (first, most), *others = counts.most_common(2)
    second = others[0][1] if others else 0
    sure = most >= max(LEAST_WORDS, LEAST_LEAD * second) and len(different[first]) >= 3
    return first if sure else ""
