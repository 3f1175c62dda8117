"""Reads the jobs on the page 'Checking in CI' with a YAML reader and with the schemas of their CI systems, which others wrote, and
checks that the commands and inputs that they use exist. `read-examples.py WEIR FOLDER` writes the commands of the job for GitLab
into FOLDER/gitlab.sh, so that a project can run them. Ends with an error at the first mistake."""

import importlib.resources
import json
import pathlib
import re
import subprocess
import sys

import jsonschema
from ruamel.yaml import YAML

weir, folder = sys.argv[1], pathlib.Path(sys.argv[2])
root = pathlib.Path(__file__).parent.parent
article = (root / "Sources/WeirReport/WeirReport.docc/CheckingInCI.md").read_text()
yaml = YAML(typ="safe")


def valid(document, schema):
    """Validates a document against a schema of check-jsonschema."""
    text = importlib.resources.files("check_jsonschema") / "builtin_schemas" / "vendor" / f"{schema}.json"
    jsonschema.Draft7Validator(json.loads(text.read_text())).validate(document)
    return document


def help_of(*words):
    return subprocess.run([weir, *words, "--help"], check=True, capture_output=True, text=True).stdout


def commands(text):
    """The command lines of weir in a script or in indented lines of the page."""
    return re.findall(r"^(?:\s*|.*&& )(?:swift (?:run|package(?: --[a-z-]+)*) )?weir ((?!COMMAND)[a-z-]+ .*?)(?:   .*)?$", text, re.MULTILINE)


def check_command(line):
    """Each option that a command line uses is one of the command, and each form of --output, too."""
    words = line.split()
    page = help_of(*words[:2]) if words[0] == "policy" else help_of(words[0])
    for place, word in enumerate(words):
        if not word.startswith("--"):
            continue
        assert re.search(rf"^  (-\w, )?{word}(?![\w-])", page, re.MULTILINE), f"weir {line}: no option {word}"
        if word == "--output" and words[0] == "check":
            form = words[place + 1].split("=")[0]
            assert re.search(rf"\b{form}\b", page), f"weir {line}: no form {form}"


def check_script(text):
    subprocess.run(["bash", "-n"], input=text, check=True, text=True)
    for line in commands(text):
        check_command(line)


action = valid(yaml.load((root / "action.yml").read_text()), "github-actions")
github, steps, gitlab = (yaml.load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", article, re.MULTILINE | re.DOTALL))
# The second block has steps, which take the place of the one with the action.
both = json.loads(json.dumps(github))
job = both["jobs"]["flows"]
job["steps"][1:2] = steps
for workflow in (github, both):
    valid(workflow, "github-workflows")
    for step in workflow["jobs"]["flows"]["steps"]:
        if step.get("uses", "").startswith("OWNER/weir@"):
            assert set(step["with"]) <= set(action["inputs"]), step
        if "run" in step:
            check_script(step["run"])
valid(gitlab, "gitlab-ci")
script = "\n".join(gitlab["flows"]["script"]) + "\n"
check_script(script)
reports = gitlab["flows"]["artifacts"]["reports"]
assert f"--output gitlab={reports['codequality']} --output junit={reports['junit']}" in script, "the reports that it uploads are written"
(folder / "gitlab.sh").write_text(script)

named = [line for line in commands(article.replace("`", "\n")) if not re.search(r"…|\[", line)]
for line in named:
    check_command(line)
assert len(named) >= 5
print(f"3 examples, {len(named)} command lines: valid, and their commands exist")
