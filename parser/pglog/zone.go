package pglog

// ZoneOffset is the seconds east of UTC of a zone as a log prints it: "+02",
// or an abbreviation that means one offset only. ok is false for the others.
func ZoneOffset(zone string) (seconds int, ok bool) {
	if s, ok := numericOffset(zone); ok {
		return s, true
	}
	minutes, ok := zoneMinutes(zone)
	return minutes * 60, ok
}
