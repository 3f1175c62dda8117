"""Answers a question about a fleet; see --help."""

import argparse
import sys

import fleet


def main():
    parser = argparse.ArgumentParser(
        prog="Tools/fleet/ask",
        description="Answers a question about the tables of `weir facts`.",
        epilog="Questions: " + "; ".join(f"{name} ({fleet.Question(name).title})" for name in fleet.questions()),
    )
    parser.add_argument("question", choices=fleet.questions() + ["sql"], metavar="QUESTION", help="its name, or sql")
    parser.add_argument("folder", metavar="DIR", help="what `weir facts -o DIR` or the Spark job wrote")
    parser.add_argument("--sql", help="with the question sql: a query of your own over the tables and views")
    parser.add_argument("--before", help="the build to compare with (default: the one before the last)")
    parser.add_argument("--after", help="the build to judge (default: the last one)")
    parser.add_argument("--confidence", type=float, default=0.99, help="of all comparisons together (default: 0.99)")
    parser.add_argument("--plot", metavar="FILE", help="also draw the answer, as .svg, .png or .pdf")
    options = parser.parse_args()
    if not 0 < options.confidence < 1:
        parser.error("--confidence must be between 0 and 1")
    if options.question == "sql" and not options.sql:
        parser.error("the question sql needs --sql QUERY")
    if options.plot and options.question == "sql":
        parser.error("--plot draws the ready questions, not sql")
    if options.plot and not options.plot.endswith((".svg", ".png", ".pdf")):
        parser.error(f"--plot cannot draw '{options.plot}'; name a file that ends with .svg, .png or .pdf")
    try:
        run = fleet.duckdb_engine(
            options.folder, before=options.before, after=options.after, confidence=options.confidence
        )
    except FileNotFoundError:
        sys.exit(f"ask: there are no facts in '{options.folder}'; make them with: weir facts TRACE… -o {options.folder}")
    question = None if options.question == "sql" else fleet.Question(options.question)
    try:
        rows = run(question.sql if question else options.sql)
    except Exception as error:
        if question:
            raise
        sys.exit(f"ask: DuckDB cannot run the query: {error}")
    if question:
        print(question.title)
    print(fleet.text_table(run.columns, rows))
    if options.plot and question:
        try:
            fleet.plot(question, run.columns, rows, options.plot)
        except OSError as error:
            sys.exit(f"ask: '{options.plot}' cannot be written: {error.strerror}")


main()
