package pglog

import "bytes"

// host is the address or name of a client without its port: %h, "host(port)" of
// %r and "host:port" of csvlog. An IPv6 address is followed by a port if its
// last part has five digits, which no part of an address has; client ports have
// fewer only where the system was told so.
func host(from []byte) []byte {
	if i := bytes.IndexByte(from, '('); i > 0 && bytes.HasSuffix(from, []byte(")")) {
		return from[:i]
	}
	i := bytes.LastIndexByte(from, ':')
	if i <= 0 || !isDigits(from[i+1:]) {
		return from
	}
	if bytes.IndexByte(from[:i], ':') < 0 || len(from)-i-1 == 5 {
		return from[:i]
	}
	return from
}

func isDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}
