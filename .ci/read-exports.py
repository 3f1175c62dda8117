"""Reads the exports of traces with readers that others wrote, and compares their counts with those of `weir info`.

FOLDER has, for each trace NAME: NAME.json (`weir info --format json`), NAME.ndjson, NAME.csv/ (a folder),
NAME.perfetto, NAME.chrome.json and NAME.otlp.jsonl; and rows.schema.json. Ends with an error at the first difference."""

import collections
import json
import pathlib
import sys

import duckdb
import jsonschema
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as perfetto

folder = pathlib.Path(sys.argv[1])
schema = json.loads((folder / "rows.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
row_schemas = {one["properties"]["table"]["const"]: jsonschema.Draft202012Validator(one) for one in schema["oneOf"]}
# The Trace Event Format has no schema of its own; this is what its description requires of the phases that we use.
number, text, args = {"type": "number", "minimum": 0}, {"type": "string"}, {"type": "object"}
common = {"pid": {"type": "integer"}, "tid": {"type": "integer"}, "name": text, "cat": text, "args": args}
phases = {
    "M": ({"args": args}, ["args"]),
    "X": ({"ts": number, "dur": number}, ["ts", "dur"]),
    "i": ({"ts": number, "s": {"enum": ["t", "p", "g"]}}, ["ts", "s"]),
    "C": ({"ts": number, "args": {"type": "object", "additionalProperties": number}}, ["ts", "args"]),
    "s": ({"ts": number, "id": text, "bp": text}, ["ts", "id"]),
    "f": ({"ts": number, "id": text, "bp": {"const": "e"}}, ["ts", "id", "bp"]),
}
chrome = {
    phase: jsonschema.Draft202012Validator(
        {"type": "object", "properties": {**common, "ph": text, **own}, "required": ["ph", "pid", "name"] + required,
         "additionalProperties": False}
    )
    for phase, (own, required) in phases.items()
}

for info_path in sorted(folder.glob("*.json")):
    name = info_path.stem
    if "." in name:
        continue
    info = json.loads(info_path.read_text())
    kinds = info["eventsByKind"]
    emissions = kinds.get("emitted", 0)
    endings = kinds.get("completed", 0) + kinds.get("failed", 0)
    refreshes = sum(node["refreshes"] for node in info["nodes"])

    def query(sql):
        return duckdb.sql(sql).fetchall()

    # NDJSON and CSV: DuckDB.
    rows = f"read_ndjson('{folder}/{name}.ndjson', union_by_name=true, sample_size=-1)"
    for events in (
        f"(select * from {rows} where \"table\" = 'events')",
        f"read_csv('{folder}/{name}.csv/events.csv', sample_size=-1)",
    ):
        assert dict(query(f"select kind, count(*) from {events} group by kind")) == kinds, name
        assert query(f"select count(*) from {events}")[0][0] == info["events"], name
        assert query(f"select count(*) from {events} where refresh")[0][0] == refreshes, name
        for node in info["nodes"]:
            counted = query(f"select count(*) from {events} where kind = 'emitted' and not coalesce(replayed, false) "
                            f"and node = {node['node']}")[0][0]
            assert counted == node["emissions"], (name, node["name"])
    turns = f"read_csv('{folder}/{name}.csv/turns.csv', sample_size=-1)"
    assert query(f"select coalesce(sum(refreshes), 0) from {turns}")[0][0] == refreshes, name
    for line in (folder / f"{name}.ndjson").open():
        row = json.loads(line)
        row_schemas[row["table"]].validate(row)

    # Perfetto: its own definitions; decoded and encoded again, the bytes are the same.
    data = (folder / f"{name}.perfetto").read_bytes()
    trace = perfetto.Trace.FromString(data)
    assert len(trace.SerializeToString(deterministic=True)) == len(data), name
    Event = perfetto.TrackEvent
    tracks, depth, found = set(), collections.Counter(), collections.Counter()
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            tracks.add(packet.track_descriptor.uuid)
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        assert event.track_uuid in tracks, (name, "every track is declared before it is used")
        found[tuple(event.categories)] += event.type in (Event.TYPE_SLICE_BEGIN, Event.TYPE_INSTANT)
        depth[event.track_uuid] += {Event.TYPE_SLICE_BEGIN: 1, Event.TYPE_SLICE_END: -1}.get(event.type, 0)
    assert not any(depth.values()), (name, "every slice ends")
    assert found[("emission",)] == emissions + endings, (name, found)
    assert found[("handler",)] >= refreshes, (name, found)

    # Chrome: JSON, each event by what its phase requires.
    document = json.loads((folder / f"{name}.chrome.json").read_text())
    counted, starts, ends = collections.Counter(), set(), set()
    for event in document["traceEvents"]:
        chrome[event["ph"]].validate(event)
        counted[event.get("cat")] += event["ph"] in "Xi"
        if event["ph"] in "sf":
            (starts if event["ph"] == "s" else ends).add(event["id"])
    assert starts == ends, (name, "every arrow has both ends")
    assert counted["emission"] == emissions + endings and counted["handler"] >= refreshes, (name, counted)

    # OTLP: OpenTelemetry's own definitions.
    spans, traces = {}, collections.Counter()
    for line in (folder / f"{name}.otlp.jsonl").open():
        request = json_format.Parse(line, ExportTraceServiceRequest())
        for resource in json.loads(line)["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    assert len(bytes.fromhex(span["traceId"])) == 16 and len(bytes.fromhex(span["spanId"])) == 8
                    assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
                    assert span["spanId"] not in spans, (name, "a span has a number of its own")
                    spans[span["spanId"]] = span
        assert request.resource_spans[0].scope_spans[0].spans[0].name is not None
    kind = collections.Counter(
        next(a["value"]["stringValue"] for a in span["attributes"] if a["key"] == "weir.kind") for span in spans.values()
    )
    assert kind["emitted"] == emissions and kind["refresh"] >= refreshes, (name, kind)
    parents = {span["parentSpanId"] for span in spans.values() if "parentSpanId" in span}
    assert parents <= spans.keys(), (name, "every parent is there")
    print(f"{name}: {info['events']} events read by DuckDB, Perfetto's and OpenTelemetry's definitions, and jsonschema")
