package pglog

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// CloudSQL is what Google's Cloud Logging exports for Cloud SQL and AlloyDB, as
// objects on a line each or as an indented list, often the newest first. The
// log's lines stand under textPayload.
var CloudSQL = source.Format{
	Name:   "cloud-sql",
	Doc:    "Google Cloud SQL and AlloyDB through Cloud Logging, JSON",
	Detect: detectCloudSQL,
}

// ShipperJSON is a log whose lines stand in JSON objects of a collector: of
// Filebeat, Fluent Bit, Vector, Loki or CloudWatch.
var ShipperJSON = source.Format{
	Name:   "shipper-json",
	Doc:    "log lines in JSON objects of a collector, under message, log, msg or line",
	Detect: func(h *source.Head) *source.Detection { return detectTextObjects(h, shipperKey) },
}

// ShipperCSV is a log whose lines stand in a column of a csv export, as log
// services offer it.
var ShipperCSV = source.Format{
	Name:   "shipper-csv",
	Doc:    "log lines in a csv export of a log service, in a column message, @message or textPayload",
	Detect: detectShipperCSV,
}

func detectCloudSQL(h *source.Head) *source.Detection {
	if !bytes.Contains(h.Data, []byte(`"textPayload"`)) {
		return nil
	}
	return detectTextObjects(h, cloudSQLKey)
}

// detectTextObjects recognises objects that carry the lines of a log.
func detectTextObjects(h *source.Head, keys jsonKeyFunc) *source.Detection {
	units := objectUnits{keys, readTextObject}
	c := &carrier{units: units, hasTime: true}
	if units.begin(h.Data, func(c *carried) bool { return c.kind == carriesText }) == len(h.Data) {
		return nil
	}
	c.newestFirst = newestFirst(h.Data, units)
	return detectShipped(h, c)
}

// newestFirst reports whether the carrier's times go backwards.
func newestFirst(data []byte, units units) bool {
	u, ws := newUnwrapper(), clock{base: record.NoTime}
	first, last := record.NoTime, record.NoTime
	for at := 0; at < len(data); {
		var c carried
		u.scratch = u.scratch[:0]
		at = units.next(u, data, at, &c)
		t, _, ok := ws.Time(c.time)
		if !ok {
			continue
		}
		if last = t; first == record.NoTime {
			first = t
		}
	}
	return last < first
}

func readTextObject(u *unwrapper, f *jsonFields, c *carried) {
	if f.text[jsonText] == nil {
		return
	}
	c.kind, c.writer = carriesText, f.text[jsonWriter]
	c.text = bytes.TrimRight(f.text[jsonText], "\r\n")
	c.time = u.serviceTime(f.text[jsonTime])
}

func detectShipperCSV(h *source.Head) *source.Detection {
	rows := newRowUnits(h, shipperKey, readTextObject)
	if rows == nil {
		return nil
	}
	c := &carrier{units: rows, hasTime: rows.columns[jsonTime] >= 0}
	c.newestFirst = newestFirst(h.Data, rows)
	return detectShipped(h, c)
}

func cloudSQLKey(key []byte, inner bool) jsonKey {
	if inner {
		return jsonOther
	}
	switch string(key) {
	case "textPayload":
		return jsonText
	case "timestamp":
		return jsonTime
	}
	return jsonOther
}

func shipperKey(key []byte, inner bool) jsonKey {
	if inner {
		return jsonOther
	}
	switch string(key) {
	case "message", "@message", "log", "msg", "line", "textPayload", "Message":
		return jsonText
	case "timestamp", "@timestamp", "time", "ts", "date", "Timestamp":
		return jsonTime
	case "stream", "@logStream", "logStreamName":
		return jsonWriter
	}
	return jsonOther
}
