package explain

import (
	"fmt"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// groupText appends "NAME a=1 b=2" of the counts that are not 0.
func groupText(text, name string, words []string, values []string) string {
	group := ""
	for i, v := range values {
		if v != "" {
			group += " " + words[i] + "=" + v
		}
	}
	if group == "" {
		return text
	}
	if text != "" {
		text += ", "
	}
	return text + strings.TrimSpace(name+group)
}

func counts(values ...int64) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		if v > 0 {
			texts[i] = fmt.Sprint(v)
		}
	}
	return texts
}

func times(values ...record.Duration) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		if v > 0 {
			texts[i] = milliseconds(v)
		}
	}
	return texts
}

// buffersText is "shared hit=8 read=1, temp read=29 written=39".
func buffersText(b *record.Buffers) string {
	words := []string{"hit", "read", "dirtied", "written"}
	text := groupText("", "shared", words, counts(b.SharedHit, b.SharedRead, b.SharedDirtied, b.SharedWritten))
	text = groupText(text, "local", words, counts(b.LocalHit, b.LocalRead, b.LocalDirtied, b.LocalWritten))
	return groupText(text, "temp", []string{"read", "written"}, counts(b.TempRead, b.TempWritten))
}

// ioText is "shared read=15.498, temp read=139.425 write=335.998"; up to 14 as
// it was read.
func ioText(n *record.Node) string {
	if text, ok := extra(n.Extra, ioTimings); ok {
		return text
	}
	localRead, localWrite := extraTime(n.Extra, localIORead), extraTime(n.Extra, localIOWrite)
	words := []string{"read", "write"}
	text := groupText("", "shared", words, times(n.IOReadTime-localRead, n.IOWriteTime-localWrite))
	text = groupText(text, "local", words, times(localRead, localWrite))
	return groupText(text, "temp", words, times(n.TempIOReadTime, n.TempIOWriteTime))
}

func extraTime(list []record.KeyValue, key string) record.Duration {
	text, _ := extra(list, key)
	v, _, _ := fixed([]byte(text), 3)
	return record.Duration(v)
}

// planningIOText is the same of the planning, from other formats.
func planningIOText(list []record.KeyValue) string {
	words := []string{"read", "write"}
	text := ""
	for _, kind := range [...]string{"shared", "local", "temp"} {
		key := "Planning " + strings.ToUpper(kind[:1]) + kind[1:] + " I/O "
		read, write := extraTime(list, key+"Read Time"), extraTime(list, key+"Write Time")
		if kind == "shared" {
			read += extraTime(list, "Planning I/O Read Time")
			write += extraTime(list, "Planning I/O Write Time")
		}
		text = groupText(text, kind, words, times(read, write))
	}
	return text
}

// walText is "records=301 fpi=1 bytes=18355 buffers full=5".
func walText(n *record.Node) string {
	text := groupText("", "", []string{"records", "fpi", "bytes"}, counts(n.WALRecords, n.WALFPI, n.WALBytes))
	if full, ok := extra(n.Extra, walBuffersFull); ok && full != "0" {
		text += " buffers full=" + full
	}
	return text
}

// serializationText makes a line of the object of other formats.
func serializationText(value string) string {
	members := membersOf(value)
	if members == nil {
		return value
	}
	text := ""
	for _, m := range members {
		switch m.key {
		case "Time":
			text = "time=" + m.text + " ms"
		case "Output Volume":
			text = strings.TrimSpace(text + "  output=" + m.text + "kB")
		case "Format":
			text += "  format=" + m.text
		}
	}
	return text
}

// jitLines makes lines of the object of other formats.
func jitLines(value string) []string {
	var lines []string
	for _, m := range membersOf(value) {
		switch {
		case m.kind == valueObject && m.key == "Timing":
			lines = append(lines, "Timing: "+memberList(m.items, " ms"))
		case m.kind == valueObject:
			lines = append(lines, m.key+": "+memberList(m.items, ""))
		default:
			lines = append(lines, m.key+": "+m.text)
		}
	}
	return lines
}

// memberList is "Inlining true, Optimization true".
func memberList(items []value, unit string) string {
	var parts []string
	for _, m := range items {
		if m.kind == valueObject { // 17 and later: Generation with its Deform
			inner := memberList(m.items, unit)
			parts = append(parts, m.key+" "+strings.TrimPrefix(inner, "Total "))
			continue
		}
		parts = append(parts, m.key+" "+m.text+unit)
	}
	return strings.Join(parts, ", ")
}

// plainText is a value as text prints it: the elements of a list with commas
// between, of anything else the text.
func plainText(raw string) string {
	if !strings.HasPrefix(raw, "[") {
		return raw
	}
	v, ok := parseValue(raw)
	if !ok {
		return raw
	}
	var parts []string
	for _, item := range v.items {
		if item.kind != valueText && item.kind != valueBare {
			return raw
		}
		parts = append(parts, item.text)
	}
	return strings.Join(parts, ", ")
}

// quoteName quotes an identifier as PostgreSQL's quote_identifier does.
func quoteName(name string) string {
	safe := name != "" && (name[0] >= 'a' && name[0] <= 'z' || name[0] == '_')
	for i := range len(name) {
		c := name[i]
		safe = safe && (c >= 'a' && c <= 'z' || c-'0' <= 9 || c == '_')
	}
	if safe && !quotedWords[name] {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
