"""The command line of the bench. What a command needs is imported when it runs."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.errors import BenchError
from bench.progress import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.options import Options

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code: 0, 1 when what was measured is wrong, 2 when it could not be measured."""
    options = _parser().parse_args(arguments)
    from homeagent.errors import HomeAgentError

    try:
        return int(options.run(options))
    except (BenchError, HomeAgentError) as error:
        say(str(error))
        return 2
    except KeyboardInterrupt:
        say("Stopped")
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench", description="Measures HomeAgent's memory from outside.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_for_sets(commands)
    _add_for_pages(commands)
    _add_for_homes(commands)
    return parser


def _add_for_sets(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands that ask the questions of the sets."""
    recall = _command(commands, "recall", _recall, "share of the answers found, against the baseline")
    _add_data(recall)
    recall.add_argument("--dump", type=Path, metavar="FILE", help="write the ranked ids of each question as JSON lines")
    recall.add_argument("--no-baseline", action="store_true", help="don't compute the baseline")
    ablate = _command(commands, "ablate", _ablate, "what each kind of evidence is worth to recall")
    _add_data(ablate)
    ablate.add_argument("--questions", type=int, metavar="N", help="at most N of each set, spread over it (all)")
    fit = _command(commands, "fit", _fit, "the numbers of weights.json, fitted and judged on unseen conversations")
    _add_data(fit)
    fit.add_argument("--questions", type=int, metavar="N", help="at most N of each set, spread over it (all)")
    fit.add_argument("--rounds", type=int, default=2, help="how often all weights are tried (2)")
    fit.add_argument("--folds", type=int, default=3, help="folds of conversations to judge on, 0 for none (3)")
    fit.add_argument("--out", type=Path, metavar="FILE", help="write the fitted weights.json")
    importing = _command(commands, "import", _import, "keep a set in a home, with speed and size")
    _add_data(importing)
    importing.add_argument("--home", type=Path, required=True, metavar="H", help="the home to keep it in")
    noise = _command(commands, "noise", _noise, "what tool output does to recall, by strategy")
    _add_data(noise)
    noise.add_argument("--strategy", action="append", default=[], help="only this strategy (repeat for several)")
    abstain = _command(commands, "abstain", _abstain, "how well recall knows that there is no answer")
    _add_data(abstain)
    abstain.add_argument("--dump", type=Path, metavar="FILE", help="write each probability and what was true")
    abstain.add_argument("--questions", type=int, metavar="N", help="at most so many of each set, spread over it")
    peers = _command(commands, "peers", _peers, "other memories on the same questions, each in its own environment")
    _add_data(peers)
    peers.add_argument("--peer", action="append", default=[], metavar="NAME", help="only this one (repeat for several)")
    peers.add_argument("--conversations", type=int, metavar="N", help="only the first N of each set")
    peers.add_argument("--environments", type=Path, metavar="DIR", help="where they are installed, and used again")


def _add_for_pages(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands that work on what others wrote."""
    reread = _command(commands, "reread", _reread, "the figures once more from a dump, by a second reader")
    reread.add_argument("--dump", type=Path, required=True, metavar="FILE", help="what 'recall --dump' wrote")
    reread.add_argument("--data", type=Path, required=True, metavar="DIR", help="the folder that was measured")
    reread.add_argument("--report", type=Path, metavar="FILE", help="what 'recall --json' printed, to compare with")
    report = _command(commands, "report", _report, "fill the tables and plots of docs/recall.md from JSON files")
    report.add_argument(
        "--from", type=Path, required=True, metavar="DIR", dest="source", help="recall.json, noise.json..."
    )
    report.add_argument("--page", type=Path, default=Path("docs/recall.md"), help="the page to fill (docs/recall.md)")


def _add_for_homes(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands that fill homes of their own."""
    crash = _command(commands, "crash", _crash, "writers killed at random moments: what is lost, what is doubled")
    crash.add_argument("--rounds", type=int, default=200, help="how often all writers are killed (200)")
    crash.add_argument("--writers", type=int, default=4, help="processes that write at the same time (4)")
    crash.add_argument("--seed", type=int, default=1, help="what the moments and turns are drawn with (1)")
    crash.add_argument("--home", type=Path, metavar="H", help="an empty folder to use and leave behind")
    facts = _command(commands, "facts", _facts, "precision and recall of facts on labelled sentences")
    facts.add_argument("--show", action="store_true", help="list what is wrong in the development half")
    policy = _command(commands, "policy", _policy, "a policy that hides, then shows, 1 %% of a long life")
    policy.add_argument("--turns", type=int, default=100_000, help="how many turns the home holds (100000)")
    policy.add_argument("--homes", type=Path, metavar="DIR", help="keep the filled home there and use it again")
    cost = _command(commands, "cost", _cost, "time, memory and disk of a long life, and how they grow")
    cost.add_argument("--segments", type=int, default=100_000, help="how many segments the home holds (100000)")
    cost.add_argument("--homes", type=Path, metavar="DIR", help="keep the filled homes there and use them again")
    turn = _command(commands, "turn", _turn, "the agent's own share of a turn; a talk ten times the window")
    turn.add_argument("--turns", type=int, default=200, help="how many turns are timed (200)")
    turn.add_argument("--window", type=int, default=4096, metavar="TOKENS", help="the window of the long talk (4096)")
    turn.add_argument("--embedder", choices=("offline", "none"), default="offline")
    plugins = _command(commands, "plugins", _plugins, "a plugin in this process and in its own; restarts and reloads")
    plugins.add_argument("--calls", type=int, default=2000, help="how many calls of each kind are timed (2000)")
    plugins.add_argument("--kills", type=int, default=5, help="how often its process is killed with kill -9 (5)")
    plugins.add_argument("--reloads", type=int, default=100, help="how often it is loaded anew (100)")
    _command(commands, "cli", _cli, "how long the command line takes to start")
    _add_for_servers(commands)


def _add_for_servers(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands that start servers."""
    load = _command(commands, "load", _load, "many chats at once against a server, which is then killed")
    load.add_argument("--chats", type=int, default=50, help="how many chats talk at once (50)")
    load.add_argument("--turns", type=int, default=6, help="how many turns each of them has (6)")
    load.add_argument("--model-ms", type=float, default=1500.0, metavar="MS", help="how long the model takes (1500)")
    load.add_argument("--embedder", choices=("offline", "none"), default="offline")
    fuzz = _command(commands, "api-fuzz", _fuzz, "every operation of a server's OpenAPI description, fuzzed")
    fuzz.add_argument("--examples", type=int, default=10, help="requests drawn for each operation (10)")
    fuzz.add_argument("--seed", type=int, default=1, help="what they are drawn with (1)")
    fuzz.add_argument("--only", default="", metavar="REGEX", help="only operations with such a path")


def _fuzz(arguments: argparse.Namespace) -> int:
    from bench.api_fuzz import FuzzPlan, fuzz_report, fuzz_table

    report = fuzz_report(FuzzPlan(arguments.examples, arguments.seed, arguments.only))
    _write(arguments, report, fuzz_table(report))
    return 0 if report["ok"] else 1


def _load(arguments: argparse.Namespace) -> int:
    from bench.load import LoadPlan, load_report, load_table

    plan = LoadPlan(arguments.chats, arguments.turns, arguments.model_ms / 1000, embedder=arguments.embedder)
    report = load_report(plan)
    _write(arguments, report, load_table(report))
    return 0 if report["ok"] else 1


def _facts(arguments: argparse.Namespace) -> int:
    from bench import facts

    if arguments.show:
        facts.show(facts.read_labels(facts.FOLDER / "dev.jsonl"))
        return 0
    report = facts.report()
    _write(arguments, report, facts.table(report))
    return 0


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, run: object, about: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=about, description=about)
    parser.add_argument("--json", action="store_true", help="write one JSON object instead of a table")
    parser.set_defaults(run=run)
    return parser


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="the folder with the measuring sets")
    parser.add_argument("--set", action="append", default=[], metavar="NAME", help="only this set (repeat for several)")
    parser.add_argument("--embedder", choices=("offline", "none", "hashed"), default="offline")
    parser.add_argument("--homes", type=Path, metavar="DIR", help="keep the filled homes there, for the same --data")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="keep the vectors there and use them again")


def _options(arguments: argparse.Namespace) -> Options:
    from bench.data import Sets
    from bench.options import Options

    names = tuple(arguments.set)
    return Options(Sets(arguments.data), names, arguments.embedder, arguments.homes, arguments.cache)


def _write(arguments: argparse.Namespace, report: object, table: str) -> None:
    print(json.dumps(report, ensure_ascii=False) if arguments.json else table)


def _recall(arguments: argparse.Namespace) -> int:
    from bench.progress import say
    from bench.recall import measure, write_dump
    from bench.recall_report import recall_report, recall_table

    started = time.monotonic()
    options = _options(arguments)
    embedder = options.new_embedder()
    names = options.sets.chosen(options.names, options.sets.conversations)
    asked = {}
    for name in names:
        asked[name] = measure(options, name, embedder, baseline=not arguments.no_baseline)
        say(recall_table({name: asked[name]}))  # a run that is cut off has said what it found so far
    if arguments.dump:
        write_dump(arguments.dump, asked)
    report = recall_report(asked, embedder.model_id, time.monotonic() - started)
    _write(arguments, report, "" if arguments.json else recall_table(asked))
    return 0


def _ablate(arguments: argparse.Namespace) -> int:
    from bench.ablate import ablate_report, ablate_table

    report = ablate_report(_options(arguments), arguments.questions)
    _write(arguments, report, ablate_table(report))
    return 0


def _fit(arguments: argparse.Namespace) -> int:
    from bench.fit import FitPlan, fit_report, fit_table

    plan = FitPlan(arguments.questions, arguments.rounds, arguments.folds)
    report = fit_report(_options(arguments), plan, arguments.out)
    _write(arguments, report, fit_table(report))
    return 0


def _import(arguments: argparse.Namespace) -> int:
    from bench.importing import import_report, import_table

    report = import_report(_options(arguments), arguments.home)
    _write(arguments, report, import_table(report))
    return 0


def _noise(arguments: argparse.Namespace) -> int:
    from bench.noise import noise_report, noise_table

    report = noise_report(_options(arguments), tuple(arguments.strategy))
    _write(arguments, report, noise_table(report))
    return 0


def _abstain(arguments: argparse.Namespace) -> int:
    from bench.abstain import abstain_report, abstain_table

    report = abstain_report(_options(arguments), arguments.dump, arguments.questions)
    _write(arguments, report, abstain_table(report))
    return 0


def _peers(arguments: argparse.Namespace) -> int:
    from bench.peers.report import Bounds, peers_report, peers_table

    environments = arguments.environments or Path("~/.cache/homeagent-bench/peers").expanduser()
    bounds = Bounds(tuple(arguments.peer), arguments.conversations, environments)
    report = peers_report(_options(arguments), bounds)
    _write(arguments, report, peers_table(report))
    return 0


def _reread(arguments: argparse.Namespace) -> int:
    from bench.reread import reread_report, reread_table

    report = reread_report(arguments.dump, arguments.data, arguments.report)
    _write(arguments, report, reread_table(report))
    return 0 if report["passed"] else 1


def _report(arguments: argparse.Namespace) -> int:
    from bench.report import write_report

    read = write_report(arguments.source, arguments.page)
    _write(arguments, {"page": str(arguments.page), "read": read}, f"{arguments.page}: {', '.join(read) or 'nothing'}")
    return 0


def _crash(arguments: argparse.Namespace) -> int:
    from bench.crash import CrashPlan, crash_report, crash_table

    plan = CrashPlan(arguments.rounds, arguments.writers, arguments.seed)
    report = crash_report(plan, arguments.home)
    _write(arguments, report, crash_table(report))
    return 0 if report["passed"] else 1


def _turn(arguments: argparse.Namespace) -> int:
    from bench.turn import TurnPlan, turn_report, turn_table

    plan = TurnPlan(arguments.turns, arguments.window, vectors=arguments.embedder == "offline")
    report = turn_report(plan)
    _write(arguments, report, turn_table(report))
    return 0 if report["passed"] else 1


def _policy(arguments: argparse.Namespace) -> int:
    from bench.policy import policy_report, policy_table

    report = policy_report(arguments.turns, arguments.homes)
    _write(arguments, report, policy_table(report))
    return 0 if report["passed"] else 1


def _cost(arguments: argparse.Namespace) -> int:
    from bench.cost import cost_report, cost_table

    report = cost_report(arguments.segments, arguments.homes)
    _write(arguments, report, cost_table(report))
    return 0


def _plugins(arguments: argparse.Namespace) -> int:
    from bench.plugins import PluginPlan, plugins_report, plugins_table

    report = plugins_report(PluginPlan(arguments.calls, arguments.kills, arguments.reloads))
    _write(arguments, report, plugins_table(report))
    return 0 if report["passed"] else 1


def _cli(arguments: argparse.Namespace) -> int:
    from bench.starting import starting_report, starting_table

    report = starting_report()
    _write(arguments, report, starting_table(report))
    return 0
