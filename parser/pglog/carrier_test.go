package pglog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// wrapped is a way of shipping the lines of a log.
type wrapped struct {
	name   string
	format source.Format
	ship   func(s *shipment)
}

// shipment turns a log into what a carrier makes of it.
type shipment struct {
	lines []string // of the stderr log
	n     int      // entries so far
	pid   string
	time  time.Time
	out   bytes.Buffer
}

func (s *shipment) printf(format string, args ...any) { fmt.Fprintf(&s.out, format, args...) }

// each calls ship with each line; first says that it begins an entry.
func (s *shipment) each(ship func(line string, first bool)) {
	for _, line := range s.lines {
		n, _ := timeLength([]byte(line))
		first := n > 0 && strings.Contains(line, "] P=")
		if first && !strings.Contains(line, "DETAIL:  ") && !strings.Contains(line, "STATEMENT:  ") && !strings.Contains(line, "CONTEXT:  ") {
			s.n++
		}
		if first {
			s.time, _ = time.Parse("2006-01-02 15:04:05.000", line[:len("2006-01-02 15:04:05.000")])
			open, end := strings.IndexByte(line, '['), strings.IndexByte(line, ']')
			s.pid = line[open+1 : end]
		}
		ship(line, first)
	}
}

func (s *shipment) iso() string { return s.time.Format("2006-01-02T15:04:05.000000Z") }

// chunks cuts lines as PostgreSQL's write_syslog does.
func chunks(line string) []string {
	var list []string
	for len(line) > 900 {
		n := 900
		if i := strings.LastIndexAny(line[:n], " \t"); i > 0 && line[n] != ' ' {
			n = i
		}
		list = append(list, line[:n])
		line = line[n:]
	}
	return append(list, line)
}

// syslog ships each primary entry as one message in chunks behind a header.
func syslog(header func(s *shipment) string, label string) func(s *shipment) {
	return func(s *shipment) {
		chunk, n := 0, 0
		s.each(func(line string, first bool) {
			if s.n > n {
				chunk, n = 0, s.n
				s.printf("%s", strings.ReplaceAll(header(s), "postgres", "cron")+"a job of another program\n")
			}
			for _, c := range chunks(line) {
				chunk++
				s.printf("%s%s[%d-%d] %s\n", header(s), label, s.n, chunk, strings.ReplaceAll(c, "\t", "#011"))
			}
		})
	}
}

// jsonLine ships each line as one object.
func jsonLine(object func(s *shipment, line string) any) func(s *shipment) {
	return func(s *shipment) {
		s.each(func(line string, _ bool) {
			text, err := json.Marshal(object(s, line))
			if err != nil {
				panic(err)
			}
			s.out.Write(append(text, '\n'))
		})
	}
}

// jsonList ships entries as a list, of which each holds its lines.
func jsonList(indent string, reverse bool, object func(s *shipment, text string) any) func(s *shipment) {
	return func(s *shipment) {
		var list []any
		var text []string
		flush := func() {
			if len(text) > 0 {
				list = append(list, object(s, strings.Join(text, "\n")))
			}
			text = nil
		}
		for _, line := range s.lines {
			if strings.Contains(line, "] P=") {
				flush()
				s.time, _ = time.Parse("2006-01-02 15:04:05.000", line[:len("2006-01-02 15:04:05.000")])
			}
			text = append(text, line)
		}
		flush()
		if reverse {
			slices.Reverse(list)
		}
		out, err := json.MarshalIndent(list, "", indent)
		if err != nil {
			panic(err)
		}
		if indent == "" {
			out = bytes.ReplaceAll(out, []byte("\n"), nil)
		}
		s.out.Write(out)
	}
}

type object = map[string]any

func cloudSQLObject(s *shipment, text string) any {
	return object{
		"insertId": "s=1", "labels": object{"INSTANCE_UID": "x"}, "logName": "projects/p/logs/cloudsql.googleapis.com%2Fpostgres.log",
		"receiveTimestamp": s.iso(), "resource": object{"labels": object{"database_id": "p:db"}, "type": "cloudsql_database"},
		"severity": "INFO", "textPayload": text, "timestamp": s.iso(),
	}
}

var carriers = []wrapped{
	{"rfc 3339", Syslog, syslog(func(s *shipment) string { return s.iso() + " db1 postgres[" + s.pid + "]: " }, "")},
	{"bsd", Syslog, syslog(func(s *shipment) string { return s.time.Format(time.Stamp) + " db1 postgres[" + s.pid + "]: " }, "")},
	{"bsd without a process id", Syslog, syslog(func(s *shipment) string { return s.time.Format(time.Stamp) + " db1 postgres: " }, "")},
	{"rfc 5424", Syslog, syslog(func(s *shipment) string { return "<134>1 " + s.iso() + " db1 postgres " + s.pid + " - - " }, "")},
	{"rfc 5424 with data", Syslog, syslog(func(s *shipment) string {
		return "231 <134>1 " + s.iso() + ` db1 postgres ` + s.pid + ` - [x@1 a="b\]c"][y@1 d="e"] `
	}, "")},
	{"short-iso", Syslog, syslog(func(s *shipment) string {
		return s.time.Format("2006-01-02T15:04:05-0700") + " db1 postgres[" + s.pid + "]: "
	}, "")},
	{"short-precise", Syslog, syslog(func(s *shipment) string {
		return s.time.Format("Jan 02 15:04:05.000000") + " db1 postgres[" + s.pid + "]: "
	}, "")},
	{"heroku", Heroku, syslog(func(s *shipment) string { return s.iso() + " app[postgres." + s.pid + "]: " }, "[DATABASE] ")},
	{"heroku drain", Heroku, syslog(func(s *shipment) string { return "99 <134>1 " + s.iso() + " host app postgres." + s.pid + " - " }, "[HEROKU_POSTGRESQL_RED] ")},
	{"heroku, prefix with a blank in front", Heroku, func(s *shipment) {
		chunk, n := 0, 0
		s.each(func(line string, first bool) {
			if s.n > n {
				chunk, n = 0, s.n
			}
			if first {
				line = " " + line
			}
			for _, c := range chunks(line) {
				chunk++
				s.printf("%s app[postgres.%s]: [RED] [%d-%d] %s\n", s.iso(), s.pid, s.n, chunk, strings.ReplaceAll(c, "\t", "#011"))
			}
		})
	}},
	{"journald", Journald, jsonLine(func(s *shipment, line string) any {
		return object{"MESSAGE": line, "_PID": s.pid, "_TRANSPORT": "stdout", "SYSLOG_IDENTIFIER": "postgres",
			"__REALTIME_TIMESTAMP": fmt.Sprint(s.time.UnixMicro())}
	})},
	{"journald bytes", Journald, jsonLine(func(s *shipment, line string) any {
		list := make([]int, len(line))
		for i := range line {
			list[i] = int(line[i])
		}
		return object{"MESSAGE": list, "_PID": s.pid, "SYSLOG_IDENTIFIER": "pg-main", "__REALTIME_TIMESTAMP": fmt.Sprint(s.time.UnixMicro())}
	})},
	{"journald bytes, indented", Journald, func(s *shipment) {
		s.each(func(line string, _ bool) {
			list := make([]int, len(line))
			for i := range line {
				list[i] = int(line[i])
			}
			text, _ := json.MarshalIndent(object{"MESSAGE": list, "_TRANSPORT": "stdout", "SYSLOG_IDENTIFIER": "postgres",
				"__REALTIME_TIMESTAMP": fmt.Sprint(s.time.UnixMicro())}, "", "\t")
			s.printf("%s\n", text)
		})
	}},
	{"docker", Docker, func(s *shipment) {
		s.each(func(line string, _ bool) {
			for line += "\n"; len(line) > 0; {
				n := min(len(line), 300) // 16 KB in Docker itself
				text, _ := json.Marshal(object{"log": line[:n], "stream": "stderr", "time": s.iso()})
				s.printf("%s\n", text)
				line = line[n:]
			}
		})
	}},
	{"docker without line ends", Docker, jsonLine(func(s *shipment, line string) any {
		return object{"log": line, "stream": "stderr", "time": s.iso(), "kubernetes": object{"pod": "x"}}
	})},
	{"cri", CRI, func(s *shipment) {
		s.each(func(line string, _ bool) {
			for len(line) > 300 {
				s.printf("%s stderr P %s\n", s.iso(), line[:300])
				line = line[300:]
			}
			s.printf("%s stderr F %s\n", s.iso(), line)
		})
	}},
	{"cloudwatch", CloudWatch, func(s *shipment) {
		s.each(func(line string, first bool) {
			if first {
				line = s.iso() + " " + line
			}
			s.printf("%s\n", line)
		})
	}},
	{"aws logs tail", CloudWatch, func(s *shipment) {
		s.each(func(line string, first bool) {
			if first {
				line = s.iso() + " db-1.0 " + line
			}
			s.printf("%s\n", line)
		})
	}},
	{"kubectl", CloudWatch, func(s *shipment) {
		s.each(func(line string, _ bool) { s.printf("[pod/db-0/postgres] %s %s\n", s.iso(), line) })
	}},
	{"docker compose", CloudWatch, func(s *shipment) { s.each(func(line string, _ bool) { s.printf("db-1  | %s %s\n", s.iso(), line) }) }},
	{"docker compose without times", CloudWatch, func(s *shipment) {
		s.each(func(line string, _ bool) { s.printf("db-1   | %s\nweb-1  | GET / LOG: x\n", line) })
	}},
	{"kubectl without times", CloudWatch, func(s *shipment) {
		s.each(func(line string, _ bool) { s.printf("[pod/db-0/postgres] %s\n", line) })
	}},
	{"cloud sql, each line apart, newest first", CloudSQL, func(s *shipment) {
		var list []string
		s.each(func(line string, _ bool) {
			text, _ := json.Marshal(cloudSQLObject(s, line))
			list = append(list, string(text))
		})
		slices.Reverse(list)
		s.printf("[\n%s\n]\n", strings.Join(list, ",\n"))
	}},
	{"cloud sql lines", CloudSQL, jsonLine(func(s *shipment, line string) any { return cloudSQLObject(s, line) })},
	{"cloud sql list", CloudSQL, jsonList("  ", false, cloudSQLObject)},
	{"cloud sql list, newest first", CloudSQL, jsonList("  ", true, cloudSQLObject)},
	{"cloud sql list on one line", CloudSQL, jsonList("", false, cloudSQLObject)},
	{"cloudwatch events", ShipperJSON, func(s *shipment) {
		jsonList("  ", false, func(s *shipment, text string) any {
			return object{"timestamp": s.time.UnixMilli(), "message": text, "eventId": "1"}
		})(s)
		list := s.out.String()
		s.out.Reset()
		s.printf("{\n  \"events\": %s,\n  \"nextToken\": \"x\"\n}\n", list)
	}},
	{"filebeat", ShipperJSON, jsonLine(func(s *shipment, line string) any {
		return object{"@timestamp": s.iso(), "message": line, "host": object{"name": "db1"}}
	})},
	{"csv export", ShipperCSV, func(s *shipment) {
		s.printf("@timestamp,@message\n")
		s.each(func(line string, _ bool) {
			s.printf("%s,\"%s\"\n", s.time.Format("2006-01-02 15:04:05.000"), strings.ReplaceAll(line, `"`, `""`))
		})
	}},
}

func shipSample(t testing.TB, w wrapped) (data []byte, want *record.Batch) {
	t.Helper()
	plain := readSample(t, "pg18-extra.log")
	s := &shipment{lines: strings.Split(strings.TrimSuffix(string(plain), "\n"), "\n")}
	w.ship(s)
	return s.out.Bytes(), parse(t, Stderr, headOf(plain), plain)
}

// factsOf is what a log says, without its places.
func factsOf(b *record.Batch) []string {
	out := dump(b)
	out = slices.DeleteFunc(out, func(s string) bool { return strings.HasPrefix(s, "loss") })
	slices.Sort(out)
	return out
}

// Whatever carries a log, it says the same, in blocks of any size.
func TestCarriersChangeNothing(t *testing.T) {
	for _, w := range carriers {
		t.Run(w.name, func(t *testing.T) {
			data, want := shipSample(t, w)
			d := w.format.Detect(headOf(data))
			if d == nil || d.Reason != "" {
				t.Fatalf("%+v of\n%s", d, data[:min(len(data), 500)])
			}
			whole := parseCut(d, data, len(data))
			for _, l := range whole.Losses {
				if l.Kind != record.LossTime {
					t.Errorf("%+v", l)
				}
			}
			if a, b := strings.Join(factsOf(want), "\n"), strings.Join(factsOf(whole), "\n"); a != b {
				t.Error(firstDifference(a, b))
			}
			for _, size := range []int{700, 5000, 40_000} {
				cut := parseCut(d, data, size)
				if a, b := strings.Join(places(whole), "\n"), strings.Join(places(cut), "\n"); a != b {
					t.Errorf("in blocks of %d: %s", size, firstDifference(a, b))
				}
			}
		})
	}
}
