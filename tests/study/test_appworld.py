"""AppWorld's environment, against a double of its server: the same addresses and forms, over a made-up app."""

import ast
import gc
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from outcome_monitors import Monitor
from outcome_monitors.exceptions import OutcomeMonitorsError, SourceError
from outcome_monitors_study._ledger import read_ledger
from outcome_monitors_study.design import Design
from outcome_monitors_study.environments import environment
from outcome_monitors_study.environments.environment import Cell
from outcome_monitors_study.manifest import freeze
from outcome_monitors_study.run import run

PLANTS = [
    {"plant_id": 1, "name": "fern", "height": 0.5, "wet": True, "note": None},
    {"plant_id": 2, "name": "moss", "height": 1.5, "wet": False, "note": None},
]


def entry(app, api, method, parameters, success):
    return {
        "app_name": app,
        "api_name": api,
        "path": f"/{app}/{api}",
        "method": method,
        "description": f"Made up: {api}.",
        "parameters": [{"name": name, "type": kind, "required": True} for name, kind in parameters],
        "response_schemas": {"success": success, "failure": {"message": "string"}},
    }


PLANT = {"plant_id": 1, "name": "string", "height": 1.0, "wet": True, "note": "string"}
DOCS = {
    "garden": [
        entry("garden", "list_plants", "GET", [("tags", "list[string]")], [PLANT]),
        entry("garden", "show_plant", "GET", [("plant_id", "integer")], PLANT),
        entry("garden", "water_plant", "POST", [("plant_id", "integer")], {"message": "string"}),
    ],
    "api_docs": [entry("api_docs", "show_api_doc", "GET", [("app_name", "string")], {"app_name": "string"})],
    "supervisor": [
        entry("supervisor", "complete_task", "POST", [("answer", "number | string")], {"message": "string"})
    ],
}


class Worlds(ThreadingHTTPServer):
    """The double's server: one world at a time, which is a dict, and what it was asked."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Double)
        self.world: dict[str, Any] = {}
        self.asked: list[str] = []


class Double(BaseHTTPRequestHandler):
    """Answers as `appworld serve environment` does."""

    server: Worlds

    def do_POST(self):
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        world, method = self.server.world, self.path.strip("/")
        self.server.asked.append(method)
        if method == "initialize":
            world.clear()
            world.update(task=given["task_id"], watered=[])
            return self._answer({"task_id": given["task_id"]})
        if world.get("task") != given["task_id"]:
            return self._answer("wrong task", 500)
        if method == "execute":
            return self._answer(self._executed(given["code"]))
        passed = world["watered"] == [2] and world.get("answer") is not None
        failures = [] if passed else [{"requirement": "water it", "trace": "", "label": "no_op_fail"}]
        return self._answer(
            {"success": passed, "difficulty": 1, "num_tests": 1, "passes": [], "failures": failures}
        )

    def _executed(self, code):
        """Read `print(json.dumps(apis.app.api(**json.loads('...'))))`, and run nothing."""
        called = ast.parse(code).body[0].value.args[0].args[0]
        given = json.loads(called.keywords[0].value.args[0].value)
        world = self.server.world
        match called.func.attr:
            case "list_plants":
                return json.dumps(PLANTS) + "\n"
            case "show_plant":
                found = [plant for plant in PLANTS if plant["plant_id"] == given["plant_id"]]
                return (
                    json.dumps(found[0]) if found else 'Execution failed. Traceback:\n{"message":"No plant"}'
                )
            case "show_api_doc":
                return json.dumps({"app_name": given["app_name"]})
            case "water_plant":
                world["watered"].append(given["plant_id"])
            case "complete_task":
                world["answer"] = given.get("answer", "")
        return json.dumps({"message": "Done."})

    def _answer(self, output, status=200):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps({"output": output}).encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    double = Worlds()
    thread = threading.Thread(target=double.serve_forever, args=(0.02,))
    thread.start()
    yield double
    double.shutdown()
    thread.join()
    double.server_close()


@pytest.fixture
def root(tmp_path):
    data = tmp_path / "appworld" / "data"
    for folder in ("api_docs/standard", "datasets"):
        (data / folder).mkdir(parents=True)
    for app, entries in DOCS.items():
        by_name = {each["api_name"]: {**each, "canary_string": "x"} for each in entries}
        (data / "api_docs" / "standard" / f"{app}.json").write_text(json.dumps(by_name))
    tasks = ["aaa_1", "aaa_2", "bbb_1"]
    (data / "datasets" / "dev.txt").write_text("\n".join(tasks) + "\n")
    for task in tasks:
        (data / "tasks" / task).mkdir(parents=True)
        who = {"first_name": "Ada", "last_name": "Abernot", "email": "ada@example.com", "phone_number": "555"}
        specs = {"instruction": "Water the moss.", "supervisor": who, "datetime": "2023-05-18T12:00:00"}
        (data / "tasks" / task / "specs.json").write_text(json.dumps(specs))
    return tmp_path / "appworld"


@pytest.fixture
def settings(root, server):
    return {
        "environment": "appworld",
        "checkout": str(root),
        "server": f"http://127.0.0.1:{server.server_port}",
    }


@pytest.fixture
def place(settings):
    return environment(settings)


def opened(place, stratum, task="aaa_1"):
    return place.open(Cell(f"{task}/{stratum}", stratum, task))


def test_one_variant_of_each_family_stands_in_every_stratum(place):
    assert [stratum for stratum in place.STRATA if place.is_clean(stratum)] == ["clean"]
    cells = place.cells({"missing-field": 2, "type-flip": 2}, seed=3)
    assert [cell.task for cell in cells[:2]] == [cell.task for cell in cells[2:]]
    assert {cell.task.partition("_")[0] for cell in cells} == {"aaa", "bbb"}
    with pytest.raises(OutcomeMonitorsError, match="has 2 families"):
        place.cells({"clean": 3}, seed=0)
    with pytest.raises(OutcomeMonitorsError, match="no stratum"):
        place.cells({"C1/P0": 1}, seed=0)
    dealt = place.cells({"alternating": 2, "clean": 2}, seed=3)
    assert [cell.stratum for cell in dealt] == ["missing-field", "type-flip", "clean", "clean"]
    assert dealt[0].task != dealt[1].task


def test_calls_reach_the_world_and_its_own_tests_judge(place):
    episode = opened(place, "clean")
    assert episode.call("garden__list_plants", {"tags": []}).seen == PLANTS
    assert episode.call("garden__show_plant", {"plant_id": 9}).seen == {"error": '{"message":"No plant"}'}
    assert episode.call("garden__burn", {}).seen == {"error": "There is no API garden__burn."}
    assert not episode.judge("done").completed
    episode.call("garden__water_plant", {"plant_id": 2})
    episode.call("supervisor__complete_task", {"answer": 'it\'s "done"\n'})
    verdict = episode.judge("done")
    assert verdict.completed
    assert verdict.details == {"hit": False, "not_injected": None, "victim": None, "tests": 1, "failed": 0}
    assert opened(place, "type-flip").judge("").details["not_injected"] == "its target was never called"


@pytest.mark.parametrize(
    ("stratum", "code"), [("missing-field", "missing_required_field"), ("type-flip", "schema_type_mismatch")]
)
def test_the_first_read_is_the_victim_and_stays_it(place, stratum, code):
    monitor = Monitor(place.contracts(frozenset(), "full"))
    episode = opened(place, stratum)
    assert not episode.call("api_docs__show_api_doc", {"app_name": "garden"}).injected
    first, again = (episode.call("garden__list_plants", {"tags": []}) for _ in range(2))
    assert first.injected
    assert first.raw == PLANTS
    assert first.seen == again.seen != PLANTS
    assert {violation.code for violation in monitor.check("garden__list_plants", {}, first.seen)} == {code}
    assert not episode.call("garden__show_plant", {"plant_id": 1}).injected
    assert episode.judge("").details["victim"] == "garden__list_plants"
    assert not monitor.check("garden__list_plants", {}, PLANTS)


def test_an_episode_that_lost_its_server_says_so(place):
    first, second = opened(place, "clean"), opened(place, "clean", "bbb_1")
    assert place.at_once == 1
    first.call("garden__list_plants", {"tags": []})
    second.call("garden__list_plants", {"tags": []})
    with pytest.raises(OutcomeMonitorsError, match="holds one world at a time"):
        first.call("garden__list_plants", {"tags": []})


def test_missing_server_and_data_are_errors_with_the_next_step(root, tmp_path):
    nobody = environment({"environment": "appworld", "checkout": str(root), "server": "http://127.0.0.1:9"})
    with pytest.raises(OutcomeMonitorsError, match=r"pip install appworld==0.1.3.post1"):
        opened(nobody, "clean").call("garden__list_plants", {"tags": []})
    empty = environment({"environment": "appworld", "checkout": str(tmp_path / "nowhere")})
    with pytest.raises(SourceError, match="appworld download data"):
        empty.cells({"clean": 1}, 0)
    with pytest.raises(SourceError, match="AppWorld's root"):
        empty.specs()


@pytest.mark.filterwarnings("ignore")
def test_a_study_by_a_model_from_end_to_end(settings, tmp_path):
    models = pytest.importorskip("inspect_ai.model", reason="the extra `study` is not installed")
    agent = "mockllm/model"
    study = freeze(
        tmp_path / "trial",
        Design(
            environment=settings,
            agents=(agent,),
            arms=("baseline", "advisory-text"),
            strata=("missing-field", "type-flip", "clean"),
            per_stratum=2,
        ),
    )
    plan = [
        ("api_docs__show_api_doc", {"app_name": "garden"}),
        ("call_api", {"app": "garden", "api": "show_plant", "arguments": {"plant_id": 9}}),
        ("call_api", {"app": "garden", "api": "list_plants", "arguments": {"tags": []}}),
        ("call_api", {"app": "garden", "api": "water_plant", "arguments": {"plant_id": 2}}),
        ("supervisor__complete_task", {"answer": "done"}),
    ]

    def answer(messages, *_):
        done = sum(message.role == "tool" for message in messages)
        if done < len(plan):
            output = models.ModelOutput.for_tool_call(agent, *plan[done])
        else:
            output = models.ModelOutput.from_content(agent, "Done.")
        output.usage = models.ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
        return output

    done = run(study.folder, models={agent: models.get_model(agent, custom_outputs=answer)})
    gc.collect()
    records = read_ledger(study.ledger)
    assert done.done == done.planned == len(records) == 12
    assert all(record["completed"] for record in records)
    advised = [record for record in records if record["arm"] == "advisory-text"]
    for record in advised:
        flagged = [call for call in record["calls"] if "receipt" in call]
        assert [call["tool"] for call in flagged] == ["garden__list_plants"] * (record["stratum"] != "clean")
        assert all("its public response contract" in call["delivered"] for call in flagged)
