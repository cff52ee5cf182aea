#!/usr/bin/env python3
"""Pack recorded cases into shared/corpus, take them out again, or check what is there.

usage: pack-corpus.py add SOURCE...        take cases in; a case with a known id is replaced
       pack-corpus.py unpack FOLDER        write every recorded case as a folder, to read or edit
       pack-corpus.py seeds FOLDER         write the cases as seeds for the fuzz targets
       pack-corpus.py check                look for personal data and broken cases, change nothing

A SOURCE is one case folder (observation.json, expected.json, perhaps frames.json), or a folder
that holds corpus/<agent>-<version>/<case>/, field/<id>.json and timelines/<name>.jsonl, each
optional. The same input gives the same bytes. Exit status 1 when something is refused.
"""
import argparse
import gzip
import json
import pathlib
import re
import sys

CORPUS = pathlib.Path(__file__).resolve().parent.parent / "shared" / "corpus"

# What may stand in a public case: the invented user of the recordings, loopback, example domains.
PERSONAL = {
    "a home folder": re.compile(r"/(?:home|Users)/(?!user\b|u\b)[\w.-]+|(?<![\w<])/root\b"),
    "a mail address": re.compile(
        r"[\w.+-]+@(?!example\.|anthropic\.com|devbox)[\w-]+\.(?:com|org|net|io|dev|de)\b"
    ),
    "a key": re.compile(
        r"\b(?:sk-(?!notification)[\w-]{8,}|gh[pousr]_\w{16,}|github_pat_\w+|AKIA[A-Z0-9]{12,}"
        r"|xox[abp]-[\w-]+|AIza[\w-]{20,}|eyJ[\w-]{12,}\.[\w-]+)|PRIVATE KEY"
    ),
    "a network address": re.compile(
        r"(?<![\d.v])(?!127\.|0\.0\.0\.0|192\.0\.2\.)(?:\d{1,3}\.){3}\d{1,3}(?![\d.])"
    ),
}


class Refused(Exception):
    """A case that must not go into the corpus, and why."""


def look_for_personal_data(name, text):
    for what, pattern in PERSONAL.items():
        found = pattern.search(text)
        if found:
            raise Refused(f"{name}: holds {what}: {found.group()!r}; replace it first")


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read_json(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Refused(f"{path}: {error}") from error


def read_lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def write_lines(path, values):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(compact(value) + "\n" for value in values)
    # Neither time nor file name in the header: equal cases give equal bytes.
    path.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))


def check_recorded(case):
    seen, expected = case["observation"], case["expected"]
    name = seen.get("id", "a case without id")
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", name):
        raise Refused(f"{name}: the id must be <agent>-<version>/<case>")
    for key in ("agent", "state", "screen_accept"):
        if not expected.get(key):
            raise Refused(f"{name}: expected.json has no {key}")
    if not isinstance(seen.get("screen"), list):
        raise Refused(f"{name}: observation.json has no screen")
    look_for_personal_data(name, compact(case))
    return name


def recorded_case(folder):
    case = {key: read_json(folder / f"{key}.json") for key in ("observation", "expected")}
    if (folder / "frames.json").exists():
        case["frames"] = read_json(folder / "frames.json")
    check_recorded(case)
    return case


def add_recorded(cases):
    groups = {}
    for case in cases:
        group, _ = case["observation"]["id"].split("/")
        groups.setdefault(group, []).append(case)
    for group, new in sorted(groups.items()):
        path = CORPUS / "recorded" / f"{group}.jsonl.gz"
        old = read_lines(path) if path.exists() else []
        merged = {case["observation"]["id"]: case for case in old + new}
        write_lines(path, [merged[key] for key in sorted(merged)])
        print(f"{path.name}: {len(new)} taken in, {len(merged)} in all")


def is_engine_input(case):
    """Reports about other parts of a program (hooks, file choice) are no input of the engine."""
    given = case["input"]
    if case["kind"] == "screen":
        return any(key in given for key in ("lines", "variants", "frames"))
    if case["kind"] == "process":
        return isinstance(given.get("processes"), list)
    records = given.get("lines")
    return case["kind"] == "log" and bool(records) and all(isinstance(r, str) for r in records)


def add_field(paths):
    taken = left = 0
    for path in paths:
        case = read_json(path)
        if not is_engine_input(case):
            left += 1
            continue
        look_for_personal_data(case["id"], compact(case))
        target = CORPUS / "field" / f"{case['id']}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(case, ensure_ascii=False, indent=1)
        target.write_text(text + "\n", encoding="utf-8")
        taken += 1
    if taken or left:
        print(f"field: {taken} taken in, {left} left out (no input of the engine)")


def add_timelines(paths):
    for path in paths:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        look_for_personal_data(path.name, compact(lines))
        write_lines(CORPUS / "timelines" / f"{path.stem}.jsonl.gz", lines)
        print(f"timeline {path.stem}: {len(lines)} moments")


def add(sources):
    for source in sources:
        if (source / "observation.json").exists():
            add_recorded([recorded_case(source)])
            continue
        folders = [found.parent for found in sorted(source.glob("corpus/*/*/observation.json"))]
        fields = sorted(source.glob("field/*.json"))
        timelines = sorted(source.glob("timelines/*.jsonl"))
        if not folders + fields + timelines:
            raise Refused(f"{source}: no case found")
        add_recorded([recorded_case(folder) for folder in folders])
        add_field(fields)
        add_timelines(timelines)


def unpack(target):
    for path in sorted(CORPUS.glob("recorded/*.jsonl.gz")):
        for case in read_lines(path):
            folder = target / "corpus" / case["observation"]["id"]
            folder.mkdir(parents=True, exist_ok=True)
            for key, value in case.items():
                text = json.dumps(value, ensure_ascii=False, indent=1)
                (folder / f"{key}.json").write_text(text + "\n", encoding="utf-8")


# By format its letter in fuzz/src/logs.rs, and what no recorded case has as the agent writes it.
LOG_FORMATS = {
    "aider": ("a", "# aider chat started at 2026-01-01 00:00:00\n\n#### hello\n\nDone.\n"
              "> litellm.BadRequestError: no\n> Tokens: 1k sent\n"),
    "amp": ("b", '{"id":"T-1","env":{"initial":{"trees":[{"uri":"file:///w"}]}},"messages":['
            '{"role":"user","content":[{"type":"text","text":"hello"}]},{"role":"assistant","state":'
            '{"type":"complete","stopReason":"end_turn"},"content":[{"type":"text","text":"Done."}]}]}'),
    "claude": ("c", ""),
    "codex": ("d", ""),
    "copilot": ("e", ""),
    "crush": ("f", '[{"type":"text","data":{"text":"hello"}}]\n'
              '[{"type":"tool_call","data":{"name":"bash"}},{"type":"finish","data":'
              '{"reason":"error","message":"API","details":"500"}}]\n'
              '[{"type":"tool_result","data":{"content":"denied"}}]'),
    "gemini": ("g", ""),
    "gemini-object": ("h", '{"startTime":"2026-01-01T00:00:00Z","kind":"main","messages":['
                      '{"type":"user","content":"hello"},{"type":"gemini","model":"m",'
                      '"content":"Done.","timestamp":"2026-01-01T00:00:01Z"}]}'),
    "goose": ("i", '[{"type":"text","text":"hello"}]\n[{"type":"toolRequest","id":"1"}]\n'
              '[{"type":"toolResponse","id":"1"}]\n[{"type":"text","text":"Done."}]'),
    "opencode": ("j", '{"role":"user","time":{"created":1}}\n{"type":"text","text":"hello"}\n'
                 '{"role":"assistant","modelID":"m","finish":"stop","time":{"created":2,"completed":3},'
                 '"error":{"name":"APIError","data":{"message":"500"}}}\n'
                 '{"type":"tool","state":{"status":"error","error":"rejected"}}'),
    "opencode-files": ("k", '{"id":"m0","role":"user","time":{"created":1}}\n'
                       '{"type":"text","text":"hello"}'),
    "opencode-damaged": ("l", "\x00\x64\x07\x10\x00\x0d"),
    "qwen": ("m", ""),
}


def write_seeds(target):
    """Seeds in the form that fuzz/fuzz_targets read."""
    logs = [(name, "written", text) for name, (_, text) in LOG_FORMATS.items() if text]
    for path in sorted(CORPUS.glob("recorded/*.jsonl.gz")):
        for case in read_lines(path):
            seen, agent = case["observation"], case["expected"]["agent"]
            log = seen.pop("log", {"records": []})
            seeds = {
                "observation": [compact(seen)],
                "screen": [agent, seen.get("title", ""), *seen["screen"]],
                "session_log": [agent, *log["records"]],
            }
            if seen.get("processes"):
                seeds["processes"] = [compact(seen["processes"])]
            for name, lines in seeds.items():
                file = target / name / seen["id"].replace("/", "-")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("\n".join(lines), encoding="utf-8")
            if agent in LOG_FORMATS and not LOG_FORMATS[agent][1] and log["records"]:
                records = "".join(record + "\n" for record in log["records"][-8:])
                logs.append((agent, seen["id"].replace("/", "-"), records))
    for name, seed, text in logs:
        file = target / "log_formats" / f"{name}-{seed}"
        file.parent.mkdir(parents=True, exist_ok=True)
        # The second byte cuts the file in two.
        file.write_text(f"{LOG_FORMATS[name][0]}\x40{text}", encoding="utf-8")
    project = CORPUS.parent.parent
    for name, files in {
        "rule_file": sorted((CORPUS.parent / "rules").glob("*.toml")),
        "config": [project / "tmux-helper/src/config/template.toml"],
        **{
            name: sorted((project / "fuzz/seeds" / name).iterdir())
            for name in ("socket", "fleet", "pipe", "processes", "program_status")
        },
    }.items():
        folder = target / name
        folder.mkdir(parents=True, exist_ok=True)
        for path in files:
            (folder / path.name).write_bytes(path.read_bytes())


def check():
    count = 0
    for path in sorted(CORPUS.glob("recorded/*.jsonl.gz")):
        for case in read_lines(path):
            name = check_recorded(case)
            if name.split("/")[0] + ".jsonl.gz" != path.name:
                raise Refused(f"{name}: stands in {path.name}")
            count += 1
    for path in sorted(CORPUS.glob("field/*.json")):
        look_for_personal_data(path.name, compact(read_json(path)))
        count += 1
    for path in sorted(CORPUS.glob("timelines/*.jsonl.gz")):
        look_for_personal_data(path.name, compact(read_lines(path)))
        count += 1
    if not count:
        raise Refused(f"{CORPUS}: no case found")
    print(f"{count} cases, nothing to complain about")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("add").add_argument("sources", nargs="+", type=pathlib.Path)
    commands.add_parser("unpack").add_argument("target", type=pathlib.Path)
    commands.add_parser("seeds").add_argument("target", type=pathlib.Path)
    commands.add_parser("check")
    given = parser.parse_args()
    try:
        if given.command == "add":
            add(given.sources)
        elif given.command == "unpack":
            unpack(given.target)
        elif given.command == "seeds":
            write_seeds(given.target)
        else:
            check()
    except Refused as reason:
        sys.exit(f"pack-corpus: {reason}")


if __name__ == "__main__":
    main()
