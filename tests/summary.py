#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds up what test programs reported: shows the log of each failure and prints one closing line.

usage: summary.py [--strict] TESTLOG.json...       (as `meson test` writes them)

A program that prints TAP lines counts as that many tests, any other as one. Lines that count:
`ok NAME`, `not ok NAME`, either with `# SKIP reason`, and `skip NAME # reason`.
With --strict a skip is a failure unless its reason matches ACCEPTED: a tool or package that is not
installed is the set-up's fault and must not pass for a green run.
"""
import json
import re
import sys

ACCEPTED = re.compile(r"^this (kernel|machine) |not on the mirror")
LINE = re.compile(r"^(?:(not )?ok\b(?: +\d+\b)?|(skip)\b)[ -]*(.*)$")
SKIP = re.compile(r"#\s*skip\b[:\s]*(.*)$", re.IGNORECASE)
PLAN = re.compile(r"^1\.\.(\d+)$")
LOG_LINES = 80


def read_log(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as log:
            return [json.loads(line) for line in log if line.strip()]
    except FileNotFoundError:
        return [{"name": path, "result": "NO LOG", "returncode": "?", "duration": 0}]


def results_of(test):
    """The single results of one program: a list of (verdict, name, reason)."""
    output = test.get("stdout") or ""
    results = []
    stray_reason = ""
    planned = 0
    before = ""  # the line before, in which a cmocka test says why it skips itself
    for line in output.splitlines():
        skip = SKIP.search(line)
        match = LINE.match(line)
        previous, before = before, "" if match else line.lstrip("# ").strip()
        if not match:
            plan = PLAN.match(line)
            planned += int(plan.group(1)) if plan else 0
            if skip:
                stray_reason = skip.group(1)
            continue
        negative, skipped, rest = match.groups()
        if skipped:
            name, _, reason = rest.partition("#")
            results.append(("skip", name.strip(), reason.strip()))
        elif skip and rest.startswith("#"):  # cmocka: not ok 3 # SKIP name
            results.append(("skip", skip.group(1), previous or "no reason given"))
        elif skip:
            results.append(("skip", rest.split("#")[0].strip(), skip.group(1)))
        else:
            results.append(("fail" if negative else "pass", rest.split("#")[0].strip(), ""))

    verdict = test["result"]
    if stray_reason and verdict in ("OK", "SKIP"):
        results.append(("skip", test["name"], stray_reason))
    if verdict == "SKIP" and not results:
        lines = output.strip().splitlines() + (test.get("stderr") or "").strip().splitlines()
        results.append(("skip", test["name"], lines[-1] if lines else "no reason given"))
    elif len(results) < planned:
        name = f"{test['name']} ({verdict}, {planned - len(results)} planned tests did not report)"
        results.append(("fail", name, ""))
    elif verdict not in ("OK", "SKIP") and not any(r[0] == "fail" for r in results):
        results.append(("fail", f"{test['name']} ({verdict}, exit {test['returncode']})", ""))
    elif verdict == "OK" and not results:
        results.append(("pass", test["name"], ""))
    return results


def show_log(label, test):
    text = (test.get("stdout") or "") + (test.get("stderr") or "")
    print(f"---- {label}: {test['name']} ({test['result']}, {test['duration']:.1f} s)")
    lines = text.rstrip().splitlines()
    if len(lines) > LOG_LINES:
        print(f"     … {len(lines) - LOG_LINES} lines left out")
    print("\n".join("     " + line for line in lines[-LOG_LINES:]))


def main(arguments):
    strict = "--strict" in arguments
    counts = {"pass": 0, "fail": 0, "skip": 0}
    skips = []
    for path in (a for a in arguments if not a.startswith("--")):
        label = path.split("/meson-logs/")[0].rsplit("/", 1)[-1]
        for test in read_log(path):
            results = results_of(test)
            bad = False
            for verdict, name, reason in results:
                if verdict == "skip":
                    refused = strict and not ACCEPTED.search(reason)
                    skips.append((label, test["name"], name, reason, refused))
                    verdict = "fail" if refused else "skip"
                bad |= verdict == "fail"
                counts[verdict] += 1
            if bad:
                show_log(label, test)
    for label, program, name, reason, refused in skips:
        note = " (counts as failed: tools must be installed)" if refused else ""
        print(f"skipped: {label}: {program}: {name}: {reason}{note}")
    print("{pass} passed, {fail} failed, {skip} skipped".format(**counts))
    return 1 if counts["fail"] or not counts["pass"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
