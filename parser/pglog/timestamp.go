package pglog

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/pgassay/pgassay/parser/record"
)

// dateHour is the length of "2026-11-30 14".
const dateHour = 13

// maxZone caps the text of a time zone.
const maxZone = 16

// clock reads times as PostgreSQL logs them: "2026-11-30 14:17:31.150 UTC". It
// keeps the hour it read last, since log times come in order. A clock serves
// one goroutine.
type clock struct {
	location *time.Location // of zones that the text does not tell; nil is UTC
	hour     [dateHour]byte
	zone     [maxZone]byte
	zoneLen  int
	base     record.Time // of the hour; NoTime if the cache is empty
	// Note says that the zone of the last time read was guessed; "" if not.
	Note string
}

// timeLength is the length of the timestamp that b starts with, and the place
// of its zone; 0 if b starts with none. The zone may follow a blank or, as
// COPY prints it, stand at once.
func timeLength(b []byte) (n, zone int) {
	if len(b) < 19 || b[4] != '-' || b[7] != '-' || b[10] != ' ' || b[13] != ':' || b[16] != ':' {
		return 0, 0
	}
	for _, i := range [...]int{0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18} {
		if b[i]-'0' >= 10 {
			return 0, 0
		}
	}
	n = 19
	if n < len(b) && b[n] == '.' {
		for n++; n < len(b) && b[n]-'0' < 10; n++ {
		}
	}
	zone = n
	if zone < len(b) && b[zone] == ' ' {
		zone++
	}
	if length := zoneLength(b[zone:], zone == n); length > 0 {
		return zone + length, zone
	}
	return n, n
}

// zoneLength is the length of the zone that b starts with: letters, or a sign
// and digits, in pairs with colons if it stands at once behind the time.
func zoneLength(b []byte, colons bool) int {
	b = b[:min(len(b), maxZone)]
	if len(b) == 0 || b[0] != '+' && b[0] != '-' {
		i := 0
		for i < len(b) && (b[i]-'A' < 26 || b[i]-'a' < 26) {
			i++
		}
		return i
	}
	i := 1 + digits(b[1:])
	for colons && i+2 < len(b) && b[i] == ':' && digits(b[i+1:]) == 2 {
		i += 3
	}
	if i < 3 {
		return 0
	}
	return i
}

// Time reads a whole timestamp and its resolution.
func (c *clock) Time(b []byte) (t record.Time, res record.Duration, ok bool) {
	n, zone := timeLength(b)
	if n == 0 || n != len(b) {
		return record.NoTime, 0, false
	}
	if c.base == record.NoTime || !bytes.Equal(c.hour[:], b[:dateHour]) || !bytes.Equal(c.zone[:c.zoneLen], b[zone:]) {
		if !c.setHour(b[:dateHour], b[zone:]) {
			return record.NoTime, 0, false
		}
	}
	minute, second := two(b[14:]), two(b[17:])
	if minute > 59 || second > 60 {
		return record.NoTime, 0, false
	}
	us := record.Time(minute*60+second) * 1e6
	res = record.Second
	if b = b[19:zone]; len(b) > 1 && b[0] == '.' {
		res = record.Millisecond
		us += record.Time(fraction(b[1:]))
	}
	return c.base + us, res, true
}

// fraction is the digits of a decimal fraction as millionths; it ends at the
// first byte that is no digit.
func fraction(b []byte) int64 {
	n, unit := int64(0), int64(100000)
	for _, d := range b {
		if d-'0' >= 10 {
			break
		}
		n += int64(d-'0') * unit
		unit /= 10
	}
	return n
}

func two(b []byte) int { return int(b[0]-'0')*10 + int(b[1]-'0') }

func (c *clock) setHour(hour, zone []byte) bool {
	year, month, day := two(hour)*100+two(hour[2:]), two(hour[5:]), two(hour[8:])
	h := two(hour[11:])
	if month < 1 || month > 12 || day < 1 || day > 31 || h > 23 {
		return false
	}
	local := time.Date(year, time.Month(month), day, h, 0, 0, 0, time.UTC)
	offset, note := c.offset(string(zone), local)
	c.base = record.TimeOf(local) - record.Time(offset)*1e6
	c.Note = note
	copy(c.hour[:], hour)
	c.zoneLen = copy(c.zone[:], zone)
	return true
}

// offset is the seconds east of UTC of a zone as printed, at a local time. The
// note is not empty if it had to be guessed.
func (c *clock) offset(zone string, local time.Time) (seconds int, note string) {
	if s, ok := numericOffset(zone); ok {
		return s, ""
	}
	if s, ok := c.localOffset(zone, local); ok {
		return s, ""
	}
	if minutes, ok := zoneMinutes(zone); ok {
		return minutes * 60, ""
	}
	if c.location != nil {
		at := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), 0, 0, 0, c.location)
		_, seconds = at.Zone()
		return seconds, ""
	}
	if zone == "" {
		return 0, "times have no zone: taken as UTC; give --timezone"
	}
	return 0, fmt.Sprintf("time zone %q is ambiguous or unknown: taken as UTC; give --timezone", zone)
}

// localOffset is the offset of the given time zone if it uses that
// abbreviation at that time. In the hour that occurs twice the abbreviation
// decides.
func (c *clock) localOffset(zone string, local time.Time) (int, bool) {
	if c.location == nil {
		return 0, false
	}
	at := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), 0, 0, 0, c.location)
	for _, shift := range [...]time.Duration{0, time.Hour, -time.Hour} {
		t := at.Add(shift)
		if name, seconds := t.Zone(); name == zone && t.Hour() == local.Hour() {
			return seconds, true
		}
	}
	return 0, false
}

// numericOffset reads +HH, +HHMM and +HHMMSS, with or without colons.
func numericOffset(zone string) (seconds int, ok bool) {
	zone = strings.ReplaceAll(zone, ":", "")
	if len(zone) < 3 || len(zone)%2 == 0 || zone[0] != '+' && zone[0] != '-' {
		return 0, false
	}
	unit := 3600
	for i := 1; i < len(zone) && unit > 0; i += 2 {
		if zone[i]-'0' >= 10 || zone[i+1]-'0' >= 10 {
			return 0, false
		}
		seconds += two([]byte(zone[i:i+2])) * unit
		unit /= 60
	}
	if zone[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// zoneMinutes knows the abbreviations that mean one offset only in the IANA
// time zone database of today. CST (America, China, Cuba), IST (India, Ireland,
// Israel) and their like are left out.
func zoneMinutes(zone string) (minutes int, ok bool) {
	switch zone {
	case "UTC", "GMT", "UCT", "Z", "Zulu", "WET":
		return 0, true
	case "CET", "WEST", "BST", "WAT":
		return 60, true
	case "CEST", "EET", "SAST", "CAT":
		return 120, true
	case "EEST", "MSK", "EAT", "IDT":
		return 180, true
	case "PKT":
		return 300, true
	case "WIB":
		return 420, true
	case "HKT", "AWST", "WITA":
		return 480, true
	case "JST", "KST", "WIT":
		return 540, true
	case "ACST":
		return 570, true
	case "AEST", "ChST":
		return 600, true
	case "ACDT":
		return 630, true
	case "AEDT":
		return 660, true
	case "NZST":
		return 720, true
	case "NZDT":
		return 780, true
	case "NDT":
		return -150, true
	case "NST":
		return -210, true
	case "ADT":
		return -180, true
	case "AST", "EDT":
		return -240, true
	case "EST":
		return -300, true
	case "MDT":
		return -360, true
	case "MST", "PDT":
		return -420, true
	case "PST", "AKDT":
		return -480, true
	case "AKST", "HDT":
		return -540, true
	case "HST":
		return -600, true
	case "SST":
		return -660, true
	}
	return 0, false
}

// epochTime reads %n: "1796046818.496".
func epochTime(b []byte) (record.Time, bool) {
	dot := bytes.IndexByte(b, '.')
	if dot < 1 {
		return record.NoTime, false
	}
	s, ok := parseInt(b[:dot])
	if !ok || s < 0 || s > 1<<40 {
		return record.NoTime, false
	}
	return record.Time(s*1e6 + fraction(b[dot+1:])), true
}
