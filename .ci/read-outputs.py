"""Reads the outputs of `weir check` with readers that others wrote: OUTPUTS is a folder with weir.sarif, weir.xml, weir.json,
quality.json, a policy and its JSON Schema. Ends with an error at the first output that a reader refuses."""

import json
import pathlib
import sys

import jsonschema
import xmlschema
from junitparser import JUnitXml
from sarif.loader import load_sarif_file
from sarif_pydantic import Sarif

folder = pathlib.Path(sys.argv[1])
ours = json.loads((folder / "weir.json").read_text())
findings, new = ours["findings"], ours["counts"]["new"]
assert new > 0, "the outputs are those of a check that fails"

sarif = Sarif.model_validate_json((folder / "weir.sarif").read_text())
results = sarif.runs[0].results
assert len(results) == len(findings)
for result, finding in zip(results, findings):
    place = result.locations[0].physical_location
    assert (result.rule_id, place.region.start_line) == (finding["rule"], finding["line"])
    assert place.artifact_location.uri == finding["path"], "every line of the samples has a path"
    rules = sarif.runs[0].tool.driver.rules
    assert rules[result.rule_index].id == result.rule_id
issues = load_sarif_file(str(folder / "weir.sarif")).get_report()
for level in ("error", "warning", "note"):
    assert issues.get_issue_count_for_severity(level) == sum(finding["level"] == level for finding in findings), level

junit = JUnitXml.fromfile(str(folder / "weir.xml"))
assert junit.failures == new
assert sum(case.is_failure for suite in junit for case in suite) == new
xmlschema.XMLSchema(str(pathlib.Path(__file__).with_name("junit.xsd"))).validate(str(folder / "weir.xml"))

quality = json.loads((folder / "quality.json").read_text())
assert len({entry["fingerprint"] for entry in quality}) == len(quality)

schema = json.loads((folder / "weir-policy.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
policy = json.loads((folder / "weir-policy.json").read_text())
validator.validate(policy)
policy["budgts"] = []
assert not validator.is_valid(policy), "the schema refuses unknown names"
print(f"{len(results)} results, {junit.tests} cases, {len(quality)} entries: read by others")
