package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/template"
	"time"

	"github.com/spf13/cobra"
)

// Forms of a capture.
const (
	snapshotJSON = "json"
	snapshotCSV  = "csv"
)

// snapshotFlags are the flags of snapshot-sql.
type snapshotFlags struct {
	format  string
	dir     string
	every   time.Duration
	explain bool
	columns bool
	width   int
}

func newSnapshotSQL(env *environment) *cobra.Command {
	in := snapshotFlags{format: snapshotJSON, dir: "snapshots"}
	cmd := &cobra.Command{
		Use:   "snapshot-sql",
		Short: "Print the psql script that exports the statistics views",
		Long: "Prints a script for psql that reads the statistics of one database, for PostgreSQL 12 to 19 and\n" +
			"managed services. It changes nothing and needs no superuser: pg_monitor sees all there is, any\n" +
			"other role a part. What is missing or forbidden costs its own part, never the capture. Read it\n" +
			"before you run it; 'pgassay help snapshots' tells more.\n\n" +
			"--format json, the default, prints a row a line to standard output; csv writes a file for each\n" +
			"view into --dir; --every prints a shell script that captures again and again into --dir.\n\n" +
			"--column-sizes prints another script, to run once: it samples how large the values of vector\n" +
			"columns are, and unlike the capture it reads tables for that.",
		Example: "  pgassay snapshot-sql | psql -X -d shop > snapshot.ndjson\n" +
			"  pgassay snapshot-sql --format csv --dir snapshots | psql -X -d shop\n" +
			"  pgassay snapshot-sql --every 60s > loop.sh; sh loop.sh -d shop\n" +
			"  pgassay snapshot-sql --column-sizes | psql -X -d shop > column_sizes.ndjson\n" +
			"  pgassay snapshot-sql --explain",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return in.run(cmd, env) },
	}
	f := cmd.Flags()
	f.StringVar(&in.format, "format", in.format, "json: rows on standard output; csv: files in --dir")
	f.StringVar(&in.dir, "dir", in.dir, "folder of csv files, or of what --every writes, where psql runs")
	f.DurationVar(&in.every, "every", 0, "print a shell script that captures this often, as in 60s")
	f.BoolVar(&in.columns, "column-sizes", false, "print the script that samples how large the values of vector columns are")
	f.BoolVar(&in.explain, "explain", false, "say what each part is for and which signatures use it")
	f.IntVar(&in.width, "width", 0, "columns of --explain (default: COLUMNS, else 80)")
	return cmd
}

// plainPath needs quoting neither for psql nor for a shell.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9_./][A-Za-z0-9_./:-]*$`)

// check refuses values that no flag type refuses.
func (in *snapshotFlags) check(command string) error {
	switch {
	case in.format != snapshotJSON && in.format != snapshotCSV:
		return usage(command, "--format %q: json or csv", in.format)
	case !plainPath.MatchString(in.dir):
		return usage(command, "--dir %q: letters, digits and . _ - : / only, since a script names it", in.dir)
	case in.columns && (in.every > 0 || in.format != snapshotJSON):
		return usage(command, "--column-sizes is a script of its own, to run once: leave --every and --format out")
	case in.every == 0:
		return nil
	case in.every < time.Second || in.every%time.Second != 0:
		return usage(command, "--every %s: whole seconds, at least one", in.every)
	case in.format != snapshotJSON:
		return usage(command, "--every writes json, a file a day: leave --format %s out", in.format)
	}
	return nil
}

func (in *snapshotFlags) run(cmd *cobra.Command, env *environment) error {
	if err := in.check(cmd.CommandPath()); err != nil {
		return err
	}
	text := in.script()
	switch {
	case in.explain:
		text = explainSnapshot(env.width(in.width))
	case in.columns:
		text = fmt.Sprintf("-- pgassay snapshot-sql --column-sizes, %s.\n", version()) + snapshotText("optional/column_sizes.sql")
	case in.every > 0:
		text = in.fill(snapshotText("loop.sh"), text)
	}
	_, err := io.WriteString(env.stdout, text)
	return err
}

// fill puts the flags, and the script, into a text of the folder.
func (in *snapshotFlags) fill(text, script string) string {
	var b strings.Builder
	values := struct {
		Version, Dir, Script string
		Seconds              int64
	}{version(), in.dir, script, int64(in.every / time.Second)}
	if err := template.Must(template.New("").Parse(text)).Execute(&b, values); err != nil {
		panic(err) // the texts are part of the program
	}
	return b.String()
}

// script is one capture.
func (in *snapshotFlags) script() string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- pgassay snapshot-sql, %s: one capture.\n", version())
	b.WriteString(snapshotText("begin.sql"))
	if in.format == snapshotCSV {
		b.WriteString(in.fill(snapshotText("csv.sql"), ""))
	}
	for i := range snapshotParts {
		in.part(&b, &snapshotParts[i])
	}
	b.WriteString(snapshotText("end.sql"))
	return b.String()
}

// part asks whether the part can be read, and reads it.
func (in *snapshotFlags) part(b *strings.Builder, p *snapshotPart) {
	fmt.Fprintf(b, "\n-- %s: %s.\n", p.view, p.doc())
	relation := p.relation()
	if relation != "" {
		fmt.Fprintf(b, "select /* pgassay */ coalesce(has_table_privilege(to_regclass(%s), 'select'), false) as readable\n\\gset\n\\if :readable\n", relation)
	}
	query := snapshotText(p.file + ".sql")
	if in.format == snapshotCSV {
		fmt.Fprintf(b, "\\set file '%s/%s-' :capture '.csv'\ncopy ( /* pgassay */\n%s) to stdout with (format csv, header)\n\\g :file\n", in.dir, p.view, query)
	} else {
		// JSON has no control characters, so nothing is quoted or escaped again.
		fmt.Fprintf(b, "copy (select row_to_json(r) from ( /* pgassay */\n%s) r) to stdout with (format csv, quote e'\\x01', delimiter e'\\x02')\n\\g\n", query)
	}
	if relation != "" {
		b.WriteString("\\endif\n")
	}
}

// explainSnapshot lists the parts.
func explainSnapshot(width int) string {
	const indent = 4
	var b strings.Builder
	for i := range snapshotParts {
		p := &snapshotParts[i]
		b.WriteString(string(p.view) + "\n")
		hang(&b, "", indent, width, p.doc())
		if users := p.users(); len(users) > 0 {
			hang(&b, "", indent, width, "used by "+strings.Join(users, ", "))
		}
	}
	return b.String()
}
