"""Questions about the tables of `weir facts`, for DuckDB and Spark alike."""

import glob
import json
import os
import re
import shutil
import tempfile
from statistics import NormalDist

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "../../Sources/WeirReport/WeirReport.docc/Resources/weir-facts.schema.json")
SQL_TYPES = {"string": "string", "integer": "bigint", "boolean": "boolean"}


def tables():
    """The columns of each table, as {table: {column: SQL type}}."""
    with open(SCHEMA) as file:
        rows = json.load(file)["oneOf"]
    return {
        row["properties"]["table"]["const"]: {
            name: SQL_TYPES[kind["type"]] for name, kind in row["properties"].items() if name != "table"
        }
        for row in rows
    }


def all_columns():
    """The columns of all tables together; a column has one type wherever it occurs."""
    columns = {"table": "string"}
    for table in tables().values():
        columns.update(table)
    return columns


def questions():
    return sorted(os.path.basename(path)[:-4] for path in glob.glob(os.path.join(HERE, "questions/*.sql")))


class Question:
    """A file in `questions`: its title, the columns of its plot, and its SQL."""

    def __init__(self, name):
        with open(os.path.join(HERE, "questions", name + ".sql")) as file:
            title, plot, self.sql = file.read().split("\n", 2)
        self.title = title[3:]
        self.x, self.y = plot.split(":")[1].split()


def view_statements():
    with open(os.path.join(HERE, "views.sql")) as file:
        text = re.sub(r"(?m)^ *--.*$", "", file.read())
    return [statement for statement in text.split(";") if statement.strip()]


def quoted(text):
    return "'" + str(text).replace("'", "''") + "'"


def prepare(run, before=None, after=None, confidence=0.99):
    """Makes the views and parameters; `run` executes SQL and returns rows."""
    if before is None or after is None:
        rows = run("select build from runs where build is not null group by build order by min(recorded_at), build")
        builds = [row[0] for row in rows]
        after = after if after is not None else (builds[-1] if builds else "")
        earlier = [build for build in builds if build != after]
        before = before if before is not None else (earlier[-1] if earlier else "")

    def parameters(z):
        run(
            "create or replace temporary view parameters as "
            f"select {quoted(before)} as build_before, {quoted(after)} as build_after, {z!r}e0 as z"
        )

    parameters(1.0)
    for statement in view_statements():
        run(statement)
    # All comparisons together are wrong with this probability at most, so each one is stricter (Bonferroni).
    comparisons = run("select count(*) from comparisons")[0][0]
    parameters(NormalDist().inv_cdf(1 - (1 - confidence) / 2 / max(1, comparisons)))
    for statement in view_statements():
        run(statement)


def duckdb_engine(folder, **parameters):
    """A function that answers questions with DuckDB; `folder` holds what `weir facts` or the Spark job wrote."""
    import duckdb

    connection = duckdb.connect()
    is_parquet = glob.glob(os.path.join(glob.escape(folder), "runs", "*.parquet"))
    if not is_parquet:
        columns = ", ".join(f"{quoted(name)}: {quoted(kind)}" for name, kind in all_columns().items())
        files = sorted(glob.glob(os.path.join(glob.escape(folder), "run=*.ndjson")))
        if not files:
            raise FileNotFoundError(folder)
        # DuckDB takes milliseconds for each file, however small: it reads them as one.
        with tempfile.NamedTemporaryFile(suffix=".ndjson") as together:
            for path in files:
                with open(path, "rb") as file:
                    shutil.copyfileobj(file, together)
            together.flush()
            connection.execute(
                "create temporary table facts as select * from read_json("
                f"{quoted(together.name)}, format='newline_delimited', columns={{{columns}}})"
            )
    for table, own in tables().items():
        if is_parquet:
            source = f"read_parquet({quoted(os.path.join(folder, table, '*.parquet'))}, hive_partitioning=false)"
        else:
            source = f"facts where \"table\" = '{table}'"
        columns = ", ".join(own)
        connection.execute(f"create temporary table {table} as select {columns} from {source}")

    def run(sql):
        cursor = connection.execute(sql)
        run.columns = [column[0] for column in cursor.description or []]
        return cursor.fetchall()

    prepare(run, **parameters)
    return run


def spark_engine(spark, folder, **parameters):
    """The same with Spark SQL; `folder` holds what the Spark job wrote."""
    for table in tables():
        spark.read.parquet(os.path.join(folder, table)).createOrReplaceTempView(table)

    def run(sql):
        frame = spark.sql(sql)
        run.columns = frame.columns
        return [tuple(row) for row in frame.collect()]

    prepare(run, **parameters)
    return run


def text_table(columns, rows):
    def cell(value):
        if isinstance(value, float):
            return f"{value:,.2f}"
        text = "" if value is None else str(value)
        text = "".join(c if c.isprintable() else "?" for c in text)
        return text if len(text) <= 70 else text[:69] + "…"

    cells = [columns] + [[cell(value) for value in row] for row in rows]
    widths = [max(len(row[place]) for row in cells) for place in range(len(columns))]
    numeric = [all(isinstance(row[place], (int, float)) for row in rows) and rows for place in range(len(columns))]

    def line(row):
        return "  ".join(
            text.rjust(width) if right else text.ljust(width) for text, width, right in zip(row, widths, numeric)
        ).rstrip()

    return "\n".join(line(row) for row in cells)


def answers(run):
    """The rows of all questions, by name."""
    return {name: [tuple(row) for row in run(Question(name).sql)] for name in questions()}


def plot(question, columns, rows, path):
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    x, y = columns.index(question.x), columns.index(question.y)
    group = columns.index("app") if "app" in columns else None
    if question.x == "day" and group is not None:
        figure, axes = pyplot.subplots(figsize=(9, 5))
        for app in sorted({row[group] for row in rows}):
            own = [row for row in rows if row[group] == app]
            axes.plot([row[x] for row in own], [row[y] for row in own], label=app)
        if rows:
            axes.legend()
        axes.tick_params(axis="x", rotation=60)
        axes.set_ylabel(question.y)
    else:
        # A panel for each metric: their units differ.
        metric = columns.index("metric") if "metric" in columns else None
        shown = rows[:60][::-1]
        panels = sorted({row[metric] for row in shown}) if metric is not None else []
        parts = [[row for row in shown if row[metric] == name] for name in panels] or [shown]
        heights = [0.9 + 0.3 * max(1, len(part)) for part in parts]
        figure, several = pyplot.subplots(
            len(parts), figsize=(9, sum(heights)), height_ratios=heights, squeeze=False, layout="constrained"
        )
        for number, (axes, part) in enumerate(zip(several[:, 0], parts)):
            names = [f"{row[group]}: {row[x]}" if group is not None else str(row[x]) for row in part]
            errors = None
            if "low" in columns and part:
                low, high = columns.index("low"), columns.index("high")
                errors = [[row[y] - row[low] for row in part], [row[high] - row[y] for row in part]]
            axes.barh(range(len(part)), [float(row[y] or 0) for row in part], xerr=errors)
            axes.set_yticks(range(len(part)), [name if len(name) <= 60 else name[:59] + "…" for name in names])
            axes.set_xlabel(f"{question.y}: {panels[number]}" if panels else question.y)
            if not part:
                axes.text(0.5, 0.5, "no rows", transform=axes.transAxes, ha="center", va="center")
                axes.set_xticks([])
    figure.suptitle(question.title)
    figure.savefig(path, bbox_inches="tight")
