"""The form of an answer: the language that a text is in, by its commonest words or its script, and the units of its amounts."""

import re
from collections.abc import Mapping

from outcome_monitors.model import Json

from .vocabulary import named

MAX_TEXT = 4000
MIN_WORDS, MIN_HITS = 5, 2
COMMON: Mapping[str, frozenset[str]] = {
    "en": named("the and of is are you was with that this have how for it to in"),
    "de": named("der die das und ist nicht ein eine mit von zu den auf für wie sie ich"),
    "fr": named("le la les et est des une dans que pour vous pas avec sur qui du au"),
    "es": named("el la los las y es una que del por con para como más en no su"),
    "it": named("il la di che è e un una per con non sono del della gli come"),
    "pt": named("o a os as e é um uma que do da não com para em como mais"),
    "nl": named("de het een en van is niet dat op te met voor zijn hoe ik"),
}
"""Words that hardly a sentence of the language does without."""
SCRIPTS: Mapping[str, str] = {
    "zh": "[\u4e00-\u9fff]",
    "ja": "[\u3040-\u30ff]",
    "ko": "[\uac00-\ud7af]",
    "ru": "[\u0400-\u04ff]",
    "el": "[\u0370-\u03ff]",
    "ar": "[\u0600-\u06ff]",
    "he": "[\u0590-\u05ff]",
    "hi": "[\u0900-\u097f]",
    "th": "[\u0e00-\u0e7f]",
}
CODES: Mapping[str, str] = {
    "english": "en", "german": "de", "deutsch": "de", "french": "fr", "français": "fr", "spanish": "es", "español": "es",
    "italian": "it", "portuguese": "pt", "dutch": "nl", "chinese": "zh", "japanese": "ja", "korean": "ko", "russian": "ru",
    "greek": "el", "arabic": "ar", "hebrew": "he", "hindi": "hi", "thai": "th",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
_UNITS: Mapping[str, re.Pattern[str]] = {
    "metric": re.compile(r"\d+\s?(?:°C|km/h|m/s|kph|km|kg|hPa|mm)\b|\d+\s?℃"),
    "imperial": re.compile(r"\d+\s?(?:°F|mph|mi|miles|lbs?|inHg|inches)\b|\d+\s?℉"),
}
_SYSTEMS = {
    "metric": "metric", "celsius": "metric", "c": "metric", "si": "metric", "km": "metric", "kilometers": "metric",
    "imperial": "imperial", "fahrenheit": "imperial", "f": "imperial", "us": "imperial", "miles": "imperial",
}  # fmt: skip


def another_language(asked: Json, text: str) -> str:
    """Return the language that a text is in, where that is surely not the one that was asked for."""
    if not isinstance(asked, str):
        return ""
    low = asked.casefold()
    wanted = CODES.get(low, re.split(r"[-_]", low)[0])
    found = _WORD.findall(text[:MAX_TEXT].casefold())
    if wanted not in COMMON and wanted not in SCRIPTS:
        return ""
    if wanted in SCRIPTS:
        other = len(found) >= MIN_WORDS and not re.search(SCRIPTS[wanted], text[:MAX_TEXT])
        kanji = wanted == "ja" and re.search(SCRIPTS["zh"], text[:MAX_TEXT])
        return "another script" if other and not kanji else ""
    if len(found) < MIN_WORDS:
        return ""
    hits = {language: sum(word in common for word in found) for language, common in COMMON.items()}
    best = max(hits, key=lambda language: hits[language])
    sure = hits[best] >= max(MIN_HITS, len(found) // 10) and hits[best] > 4 * hits[wanted]
    return best if sure else ""


def another_unit(asked: Json, text: str) -> str:
    """Return an amount in the other system of units, where none is in the one that was asked for."""
    wanted = _SYSTEMS.get(asked.casefold().lstrip("°")) if isinstance(asked, str) else None
    if wanted is None or _UNITS[wanted].search(text):
        return ""
    found = _UNITS["metric" if wanted == "imperial" else "imperial"].search(text)
    return found[0] if found else ""
