"""`python -m bench.leaks`: of 60 secrets and 40 personal values, how many end in a contract, and in a receipt.

Each is mined as the only text of a field, and as one of three, and then wrong results are flagged. The texts are made when they are read.
"""

import base64
import json
import random
import string
from collections.abc import Iterator, Sequence

from outcome_monitors import Call, Monitor, mine

from ._report import Table, show

__all__ = ["PERSONAL", "SECRETS", "tables"]

_DRAWN = random.Random(90210)
_ALL = string.ascii_letters + string.digits
_UPPER = string.ascii_uppercase + string.digits
_HEX = "0123456789abcdef"


def _some(letters: str, number: int) -> str:
    return "".join(_DRAWN.choices(letters, k=number))


def _plain(size: int) -> str:
    return base64.b64encode(_DRAWN.randbytes(size)).decode()


def _safe(size: int) -> str:
    return base64.urlsafe_b64encode(_DRAWN.randbytes(size)).decode().rstrip("=")


SECRETS = [
    ("AKIA" + _some("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)),
    ("ASIA" + _some("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)),
    _plain(30),
    "ghp_" + _some(_ALL, 36),
    "gho_" + _some(_ALL, 36),
    "github_pat_" + _some(_ALL, 22) + "_" + _some(_ALL, 59),
    "glpat-" + _some(_ALL + "-_", 20),
    "xoxb-" + _some("0123456789", 12) + "-" + _some("0123456789", 13) + "-" + _some(_ALL, 24),
    "xapp-1-" + _some(_UPPER, 11) + "-" + _some("0123456789", 13) + "-" + _some(_HEX, 64),
    "https://hooks.slack.com/services/T"
    + _some(_UPPER, 8)
    + "/B"
    + _some(_UPPER, 10)
    + "/"
    + _some(_ALL, 24),
    "sk_live_" + _some(_ALL, 24),
    "rk_live_" + _some(_ALL, 99),
    "whsec_" + _some(_ALL, 32),
    "sk-proj-" + _some(_ALL + "-_", 48) + "T3BlbkFJ" + _some(_ALL + "-_", 48),
    "sk-ant-api03-" + _some(_ALL + "-_", 93) + "AA",
    "AIza" + _some(_ALL + "-_", 35),
    "ya29." + _some(_ALL + "-_", 68),
    "GOCSPX-" + _some(_ALL + "-_", 28),
    "SG." + _some(_ALL + "-_", 22) + "." + _some(_ALL + "-_", 43),
    "key-" + _some(_HEX, 32),
    "npm_" + _some(_ALL, 36),
    "pypi-AgEIcHlwaS5vcmc" + _some(_ALL + "-_", 120),
    "dop_v1_" + _some(_HEX, 64),
    "hvs." + _some(_ALL + "-_", 95),
    "s." + _some(_ALL, 24),
    "dapi" + _some(_HEX, 32),
    "shpat_" + _some(_HEX, 32),
    "sq0csp-" + _some(_ALL + "-_", 43),
    "EAAA" + _some(_ALL + "-_", 60),
    "hf_" + _some(string.ascii_letters, 34),
    "r8_" + _some(_ALL, 37),
    "gsk_" + _some(_ALL, 52),
    "pk." + _safe(60) + "." + _some(_ALL, 22),
    "eyJhbGciOiJIUzI1NiJ9." + _safe(60) + "." + _safe(32),
    "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ." + _safe(90) + "." + _safe(256),
    "-----BEGIN RSA PRIVATE KEY-----\n" + _plain(300) + "\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\n" + _plain(200) + "\n-----END OPENSSH PRIVATE KEY-----",
    "postgres://app:" + _some(_ALL, 14) + "@db.internal:5432/app",
    "mongodb+srv://root:" + _some(_ALL, 12) + "@c0.mongodb.net/x",
    "redis://:" + _some(_ALL, 16) + "@cache:6379/0",
    "https://user:" + _some(_ALL, 10) + "@git.example.com/r.git",
    "amqp://svc:" + _some(_ALL, 11) + "@mq/",
    "Authorization: Bearer " + _some(_ALL, 40),
    "Bearer " + _safe(30),
    "Basic " + base64.b64encode(("admin:" + _some(_ALL, 9)).encode()).decode(),
    "password=" + _some(_ALL, 10),
    "pwd: Tr0ub4dor&" + _some("0123456789", 2),
    "api_key=" + _some(_ALL, 28),
    "DefaultEndpointsProtocol=https;AccountName=x;AccountKey="
    + _plain(64)
    + ";EndpointSuffix=core.windows.net",
    "https://x.blob.core.windows.net/c?sv=2022-11-02&ss=b&sig="
    + _plain(32).replace("+", "%2B").replace("=", "%3D"),
    "https://b.s3.amazonaws.com/k?X-Amz-Credential=AKIA"
    + _some(_UPPER, 16)
    + "&X-Amz-Signature="
    + _some(_HEX, 64),
    "Server=db;User Id=sa;Password=" + _some(_ALL, 12) + ";",
    _some(_HEX, 64),
    _safe(48),
    _some(_ALL, 32),
    "AGE-SECRET-KEY-1" + _some("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "xkeysib-" + _some(_HEX, 64) + "-" + _some(_ALL, 16),
    "NRAK-" + _some(_UPPER, 27),
    "lin_api_" + _some(_ALL, 40),
    "ATATT3" + _some(_ALL + "-_=", 186),
]
PERSONAL = [
    ("contact", "maria.schneider@example.org"),
    ("reach", "j.o'neil+x@mail.example.co.uk"),
    ("line", "+49 170 5550199"),
    ("line", "(212) 555-0147"),
    ("line", "+44 20 7946 0958"),
    ("ref", "4111 1111 1111 1111"),
    ("ref", "5500005555555559"),
    ("ref", "DE89 3704 0044 0532 0130 00"),
    ("ref", "GB82WEST12345698765432"),
    ("no", "078-05-1120"),
    ("no", "536-90-4399"),
    ("name", "Maria Schneider"),
    ("full_name", "Jean-Luc Moreau"),
    ("customer", "Aisha Bello"),
    ("patient", "Tomasz Nowak"),
    ("user_name", "hiroshi.tanaka"),
    ("first_name", "Ingrid"),
    ("last_name", "Østergaard"),
    ("surname", "Papadopoulos"),
    ("recipient", "Lucía Fernández"),
    ("author", "Chukwuemeka Obi"),
    ("assignee", "Priya Raman"),
    ("address", "221B Baker Street, London"),
    ("street", "Hauptstraße 5"),
    ("shipping_address", "1600 Pennsylvania Ave NW, Washington, DC 20500"),
    ("zip", "80331"),
    ("birthday", "1984-03-12"),
    ("date_of_birth", "12/03/1984"),
    ("dob", "1990-07-01"),
    ("passport", "C01X00T47"),
    ("passport_number", "L898902C3"),
    ("driver_license", "D1234567"),
    ("national_id", "AB123456C"),
    ("ip", "203.0.113.77"),
    ("mac", "00:1B:44:11:3A:B7"),
    ("username", "kwame_mensah88"),
    ("login", "s.lindqvist"),
    ("latlon", "48.137154,11.576124"),
    ("gender", "female"),
    ("iban", "FR7630006000011234567890189"),
]

WRONG = (
    {"id": 1, "{field}": "zzz odd", "total": 2.0},
    {"id": 1, "{field}": 5, "total": 2.0},
    {"id": 1, "total": -3},
)


def _calls(field: str, values: Sequence[str]) -> Iterator[Call]:
    for number in range(80):
        result = {"id": number % 20, field: values[number % len(values)], "total": 1.5 * number}
        yield Call("get", {"id": number % 20}, result, task=f"t{number}")


def _places(field: str, value: str) -> set[str]:
    """Return where a value ends."""
    end = value if len(value) < 24 else value[-20:]
    traces = {
        json.dumps(text, ensure_ascii=plain)[1:-1] for text in (end, end.lower()) for plain in (True, False)
    }
    found = set()
    for values in ([value], [value, "pending", "done"]):
        registry = mine(_calls(field, values))
        said = [
            json.dumps(
                Monitor(registry).advise(
                    "get", {"id": 1}, {name.format(field=field): one for name, one in wrong.items()}
                ),
                default=str,
                ensure_ascii=False,
            )
            for wrong in WRONG
        ]
        found |= {"contract"} if any(trace in registry.dumps() for trace in traces) else set()
        found |= {"receipt"} if any(trace in text for trace in traces for text in said) else set()
    return found


def tables() -> Iterator[Table]:
    """Yield how many leak."""
    rows = []
    for name, texts in (("secrets", [("value", text) for text in SECRETS]), ("personal", PERSONAL)):
        places = [_places(field, value) for field, value in texts]
        counts = [sum(where in one for one in places) for where in ("contract", "receipt")]
        rows.append((name, str(len(places)), *map(str, counts)))
    yield Table("values that are kept", ("what", ">values", ">in contracts", ">in receipts"), tuple(rows))


if __name__ == "__main__":
    for each in tables():
        show(each)
