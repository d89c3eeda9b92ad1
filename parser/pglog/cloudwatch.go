package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/source"
)

// CloudWatch is a log with a shipper's RFC 3339 time in front of each event: of
// RDS and Aurora through CloudWatch, of docker logs -t and kubectl logs
// --timestamps, also behind the name of a container. Lines without such a time
// go on in the event before. Without any times, the names alone are taken off.
var CloudWatch = source.Format{
	Name:   "cloudwatch",
	Doc:    "log with a shipper's time before each line: CloudWatch (RDS, Aurora), docker logs -t, kubectl logs --timestamps",
	Detect: detectCloudWatch,
}

func detectCloudWatch(h *source.Head) *source.Detection {
	if d := declineAWS(h); d != nil {
		return d
	}
	if d := detectLines(h, &carrier{units: lineUnits{readCloudWatch}, hasTime: true}); d != nil {
		return d
	}
	return detectNamed(h)
}

func readCloudWatch(u *unwrapper, line []byte, c *carried) {
	rest, name := containerName(line)
	text, n := u.isoTime(rest)
	if n == 0 || n < len(rest) && rest[n] != ' ' && rest[n] != '\t' {
		if c.kind, c.text = carriesMore, line; len(u.segments) == 0 {
			c.kind = carriesDamage
		}
		return
	}
	if n < len(rest) {
		n++
	}
	c.kind, c.time, c.writer = carriesText, text, name
	c.text = withoutStream(rest[n:])
}

// containerName takes off "db-1  | " of docker compose, or "[pod/db-0/postgres] "
// of kubectl logs --prefix.
func containerName(line []byte) (rest, name []byte) {
	if len(line) > 0 && line[0] == '[' {
		if i := bytes.Index(line, []byte("] ")); i > 0 && bytes.IndexByte(line[:i], '/') > 0 {
			return line[i+2:], line[1:i]
		}
		return line, nil
	}
	i := 0
	for i < len(line) && isTag(line[i]) {
		i++
	}
	if trimmed := bytes.TrimLeft(line[i:], " "); i > 0 && bytes.HasPrefix(trimmed, []byte("| ")) {
		return trimmed[2:], line[:i]
	}
	return line, nil
}

// withoutStream takes off the name of a log stream that aws logs tail prints
// behind the time: a word such as "db-1.0" before the log's own time.
func withoutStream(text []byte) []byte {
	i := bytes.IndexByte(text, ' ')
	if i <= 0 || text[0]-'0' < 10 || text[0] == '\t' {
		return text
	}
	if n, _ := timeLength(text[i+1:]); n > 0 {
		return text[i+1:]
	}
	return text
}
