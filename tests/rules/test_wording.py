"""`wording`: what can be said of an answer that is prose."""

import random

import pytest

from outcome_monitors import Call, Monitor, Registry, explain, mine
from outcome_monitors.rules.wording import PATTERNS
from outcome_monitors.values.language import language_of, script_of

WORDS = (
    "alpha",
    "beta",
    "gamma",
    "order",
    "parcel",
    "report",
    "invoice",
    "river",
    "stone",
    "cloud",
    "window",
    "garden",
)


def sentence(source, number=9):
    return " ".join(source.choice(WORDS) for _ in range(number)).capitalize() + "."


def document(n):
    source = random.Random(n)
    return "\n".join(sentence(source, 6 + n % 5) for _ in range(2 + n % 5))


def log(n):
    return f"Commit history:\n{document(n)}\n"


def mined(answer, tasks=60):
    calls = [Call("read", {"path": f"{n}.txt"}, answer(n), task=f"task {n}") for n in range(tasks)]
    return Registry.loads(mine(calls, "full").dumps())


def codes(registry, text):
    return {violation.code for violation in Monitor(registry).check("read", {"path": "x.txt"}, text)}


@pytest.fixture(scope="module")
def documents():
    return mined(document)


@pytest.fixture(scope="module")
def logs():
    return mined(log)


@pytest.mark.parametrize(
    "text",
    [
        "Sorry, something went wrong while we looked for it.",
        "I'm sorry, but I can't help with that request.",
        "Too many requests, please slow down.",
        "Please sign in to continue.",
        "Dear {{customer_name}}, your parcel is on its way.",
        "Order ${order.id} is ready.",
        "   \n",
        "您请求的文件包含有关您的订单以及明天早上预计送达的以下信息。",
    ],
)
def test_what_is_no_answer_is_flagged_in_prose(documents, text):
    assert "unusual_wording" in codes(documents, text)


@pytest.mark.parametrize("n", range(100, 130))
def test_other_prose_passes(documents, logs, n):
    assert codes(documents, document(n)) == set()
    assert codes(logs, log(n)) == set()


def test_answers_that_open_alike_are_known_by_it(logs):
    assert "(the result): opens with 'Commit history:'" in map(explain, logs.contracts["read"].clauses)
    assert "unusual_wording" in codes(logs, "Merge made by the recursive strategy.\n")


def test_a_text_that_is_cut_ends_as_no_clean_one_does(documents):
    whole = document(7)
    assert "unusual_wording" in codes(documents, whole[: len(whole) // 2].rstrip(".\n"))


def test_what_clean_answers_say_is_not_foreign_to_them():
    def answer(n):
        return (
            document(n)
            if n % 4
            else f"Sorry, something went wrong in {n}. Please sign in to see {{{{page}}}}."
        )

    registry = mined(answer)
    sorts = {
        clause.params["sort"] for clause in registry.contracts["read"].clauses if clause.kind == "wording"
    }
    assert not sorts & {"apology", "login", "template"}
    assert codes(registry, "Sorry, something went wrong in 99.") == set()


def test_fields_are_left_to_other_kinds():
    registry = mined(lambda n: {"body": document(n)})
    assert not [clause for clause in registry.contracts["read"].clauses if clause.kind == "wording"]


@pytest.mark.parametrize("sort", PATTERNS)
def test_patterns_take_no_longer_than_the_text(sort):
    registry = mined(document)
    for piece in ("{{", "${a", "sign in ", "sorry", " \n", "i am ", "<%", "%(a", "<a object"):
        assert isinstance(codes(registry, piece * 100_000), set)
        assert sort in PATTERNS


def test_languages_and_scripts():
    assert language_of("The order was sent to the address that you have given, and it is on its way.") == "en"
    assert (
        language_of("Le fichier contient les informations sur votre commande et la livraison qui est prévue.")
        == "fr"
    )
    assert (
        language_of("Die Bestellung wurde an die Adresse geschickt, und sie ist auf dem Weg zu Ihnen.")
        == "de"
    )
    assert language_of("W0001 W0002") == ""
    assert script_of("Order sent") == "LATIN"
    assert script_of("Заказ отправлен") == "CYRILLIC"
    assert script_of("123") == ""
