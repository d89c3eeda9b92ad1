package pglog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

// The same session in seven languages, of a real server: nothing is missed.
func TestEveryLanguage(t *testing.T) {
	data := readSample(t, "localized.csv")
	b := parse(t, CSVLog, headOf(data), data)
	want := figures{
		rows: 336, executions: 49, phases: 14, plans: 28, read: 28, vacuums: 13, aggressive: 5, analyzes: 14, indexes: 9,
		checkpoints: 8, waits: 7, acquired: 7, temp: 7, errors: 7, connections: 50, disconnections: 50, starts: 1, reloads: 7,
	}
	if got := count(b); got != want || len(b.Losses) != 0 {
		t.Errorf("\n got %+v\nwant %+v\n%+v", got, want, b.Losses)
	}
	for _, x := range b.Executions {
		if x.Kind == record.ExecBind && x.Parameters != "$1 = '5'" || x.Kind != record.ExecPlan && x.Statement == nil {
			t.Errorf("%+v", x)
		}
	}
}

// detailLabels are the labels of DETAIL by the severity's word, where that tells
// the language.
var detailLabels = map[string]string{"СООБЩЕНИЕ": "ПОДРОБНОСТИ", "ОШИБКА": "ПОДРОБНОСТИ", "日志": "详细信息", "错误": "详细信息", "ERREUR": "DÉTAIL\u00a0"}

// Severities and labels are translated in stderr as well; the same entries as in
// csvlog are read there.
func TestEveryLanguageInStderr(t *testing.T) {
	data := readSample(t, "localized.csv")
	var text strings.Builder
	var row csvRow
	var r jsonReader
	for at := 0; at < len(data); {
		next, _ := row.read(data, at)
		at = next
		f := &row.fields
		severity := string(f[csvErrorSeverity].text)
		prefix := fmt.Sprintf("%s [%s] %s ", f[csvLogTime].text, f[csvProcessID].text, f[csvSessionID].text)
		write := func(label string, field csvField) {
			if field.text != nil {
				fmt.Fprintf(&text, "%s%s:  %s\n", prefix, label, strings.ReplaceAll(string(r.csvText(field)), "\n", "\n\t"))
			}
		}
		write(severity, f[csvMessage])
		detail := "DETAIL"
		if l := detailLabels[severity]; l != "" {
			detail = l
		}
		write(detail, f[csvDetail])
	}
	b := parseText(t, Stderr, text.String())
	want := count(parse(t, CSVLog, headOf(data), data))
	if got := count(b); got != want || len(b.Losses) != 0 {
		t.Errorf("\n got %+v\nwant %+v\n%+v", got, want, b.Losses)
	}
	for _, x := range b.Executions {
		if x.Kind == record.ExecBind && x.Parameters != "$1 = '5'" {
			t.Errorf("%+v", x)
		}
	}
}

// What a template makes of a message holds no more than what it found in it.
func TestTranslationsAreComplete(t *testing.T) {
	for _, l := range languages() {
		for _, tr := range append(append(append([]translation(nil), l.messages...), l.lines...), l.details...) {
			found := map[int]bool{}
			for _, p := range templateParts(tr.native) {
				found[p.value] = true
			}
			for _, p := range templateParts(tr.english) {
				if !found[p.value] || p.value >= maxValues {
					t.Errorf("%s: {%d} in %q", l.name, p.value, tr.english)
				}
			}
			if tr.native == "" || strings.HasPrefix(tr.native, "{") {
				t.Errorf("%s: %q begins with a value", l.name, tr.native)
			}
		}
	}
}

// A number is a number: what looks like another template inside a query stays
// in it.
func TestTemplatesDoNotReachIntoQueries(t *testing.T) {
	b := parseText(t, Stderr, "2026-03-02 08:00:01 CET [961] LOG:  Dauer: 1204,011 ms  Parsen a:b: SELECT ' ms  Anweisung: x'\n"+
		"2026-03-02 08:00:01 CET [961] LOG:  durée\u00a0: 2.000 ms, instruction\u00a0: SELECT '\u00a0:'\n")
	if got := summary(b); got != `1 exec 5 07:00:01.000 @ pid=961 took=1204011 params="" plan=false id=0 SELECT ' ms  Anweisung: x'
2 exec 2 07:00:01.000 @ pid=961 took=2000 params="" plan=false id=0 SELECT '`+"\u00a0"+`:'
` {
		t.Error(got)
	}
}

func TestLanguagesAreNamed(t *testing.T) {
	for message, want := range map[string]string{
		"some extension says hello": "", "die Datei wurde nicht gefunden": "German", "le processus est mort": "French",
		"el proceso está listo": "Spanish", "a conexão não foi aceita": "Portuguese", "接続できません": "Japanese",
		"无法连接": "Chinese", "не удалось": "Russian",
	} {
		if got := languageOf([]byte(message)); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}
