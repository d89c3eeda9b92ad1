package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/source"
)

// Docker is the json-file driver of Docker: {"log":"…\n","stream":…,"time":…}.
// A line of more than 16 KB comes in several objects, of which only the last has
// a line end.
var Docker = source.Format{
	Name:   "docker",
	Doc:    "container log of Docker's json-file driver",
	Detect: detectDocker,
}

func detectDocker(h *source.Head) *source.Detection {
	ended := false
	d := objectUnits{dockerKey, func(*unwrapper, *jsonFields, *carried) {}}
	first := d.begin(h.Data, func(*carried) bool { return true })
	if first == len(h.Data) || !bytes.Contains(h.Data[first:min(len(h.Data), first+1<<16)], []byte(`"log"`)) {
		return nil
	}
	found := false
	walk := objects{r: new(jsonReader), keys: dockerKey, data: h.Data, at: first}
	for range objectDetectRows {
		f, _, _ := walk.next()
		if f == nil {
			break
		}
		found = found || f.text[jsonText] != nil
		ended = ended || bytes.HasSuffix(f.text[jsonText], []byte("\n"))
	}
	if !found {
		return nil
	}
	units := objectUnits{dockerKey, func(u *unwrapper, f *jsonFields, c *carried) { readDocker(u, f, c, ended) }}
	return detectShipped(h, &carrier{units: units, hasTime: true})
}

// readDocker takes the text. ended says that whole lines have a line end: some
// collectors take it off.
func readDocker(u *unwrapper, f *jsonFields, c *carried, ended bool) {
	text := f.text[jsonText]
	if text == nil {
		return
	}
	c.kind, c.writer, c.time = carriesText, f.text[jsonWriter], u.serviceTime(f.text[jsonTime])
	c.text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	c.unended = ended && !bytes.HasSuffix(text, []byte("\n"))
}

func dockerKey(key []byte, inner bool) jsonKey {
	if inner {
		return jsonOther
	}
	switch string(key) {
	case "log":
		return jsonText
	case "time":
		return jsonTime
	case "stream":
		return jsonWriter
	}
	return jsonOther
}
