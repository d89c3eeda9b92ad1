package pgstat

import (
	"bytes"
	"encoding/json"
	"errors"
)

// maxNestedJSON is the depth of lists and objects inside a value.
const maxNestedJSON = 32

var errJSON = errors.New("no JSON object, or a damaged one")

// jsonRow reads the object at the start of s into r, and its keys into keys,
// and returns the offset behind it. expect are the keys of the object before.
// Values keep their text: numbers and nested
// lists and objects as written.
func (r *rows) jsonRow(s []byte, keys, expect []string) (_ []string, n int, err error) {
	n = skipBlank(s, 1)
	for more := n < len(s) && s[n] != '}'; more; {
		like := ""
		if len(keys) < len(expect) {
			like = expect[len(keys)]
		}
		var key string
		if key, n, err = jsonKey(s, n, like); err != nil {
			return keys, n, err
		}
		if n = skipBlank(s, n); n >= len(s) || s[n] != ':' {
			return keys, n, errJSON
		}
		if n, err = r.jsonValue(s, skipBlank(s, n+1)); err != nil {
			return keys, n, err
		}
		if keys = append(keys, key); len(keys) > maxColumns {
			return keys, n, errJSON
		}
		n = skipBlank(s, n)
		if more = n < len(s) && s[n] == ','; more {
			n = skipBlank(s, n+1)
		}
	}
	if n >= len(s) || s[n] != '}' {
		return keys, n, errJSON
	}
	return keys, n + 1, nil
}

func skipBlank(s []byte, n int) int {
	for n < len(s) && (s[n] == ' ' || s[n] == '\n' || s[n] == '\t' || s[n] == '\r') {
		n++
	}
	return n
}

// jsonKey reads a key; like is what it probably is, to save a string.
func jsonKey(s []byte, n int, like string) (string, int, error) {
	end, escaped := jsonString(s, n)
	if end < 0 {
		return "", n, errJSON
	}
	if !escaped {
		if string(s[n+1:end-1]) == like {
			return like, end, nil
		}
		return string(s[n+1 : end-1]), end, nil
	}
	var key string
	err := json.Unmarshal(s[n:end], &key)
	return key, end, err
}

// jsonString is the offset behind the string that opens at n, -1 if there is
// none on the line.
func jsonString(s []byte, n int) (end int, escaped bool) {
	if n >= len(s) || s[n] != '"' {
		return -1, false
	}
	for i := n + 1; i < len(s); i++ {
		switch b := s[i]; {
		case b == '"':
			return i + 1, escaped
		case b == '\\':
			escaped = true
			i++
		case b == '\n':
			return -1, false
		}
	}
	return -1, false
}

func (r *rows) jsonValue(s []byte, n int) (int, error) {
	if n >= len(s) {
		return n, errJSON
	}
	switch b := s[n]; {
	case b == '"':
		return r.jsonText(s, n)
	case b == '{' || b == '[':
		end := nestedEnd(s, n)
		if end < 0 {
			return n, errJSON
		}
		r.text = append(r.text, s[n:end]...)
		r.endCell(true)
		return end, nil
	case bytes.HasPrefix(s[n:], []byte("null")):
		r.endCell(false)
		return n + len("null"), nil
	}
	end := n
	for end < len(s) && isBare(s[end]) {
		end++
	}
	if end == n {
		return n, errJSON
	}
	r.text = append(r.text, s[n:end]...)
	r.endCell(true)
	return end, nil
}

// isBare tells what numbers, true, false and NaN are made of.
func isBare(b byte) bool {
	return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b == '.' || b == '-' || b == '+'
}

func (r *rows) jsonText(s []byte, n int) (int, error) {
	end, escaped := jsonString(s, n)
	if end < 0 {
		return n, errJSON
	}
	if !escaped {
		r.text = append(r.text, s[n+1:end-1]...)
	} else {
		var text string
		if err := json.Unmarshal(s[n:end], &text); err != nil {
			return n, errJSON
		}
		r.text = append(r.text, text...)
	}
	r.endCell(true)
	return end, nil
}

// nestedEnd is the offset behind the list or object that opens at n, -1 if it
// does not close or is nested too deep.
func nestedEnd(s []byte, n int) int {
	var open [maxNestedJSON]byte
	depth := 0
	for i := n; i < len(s); i++ {
		switch b := s[i]; b {
		case '"':
			end, _ := jsonString(s, i)
			if end < 0 {
				return -1
			}
			i = end - 1
		case '[', '{':
			if depth == maxNestedJSON {
				return -1
			}
			open[depth] = b + 2 // its closing mark
			depth++
		case ']', '}':
			depth--
			if open[depth] != b {
				return -1
			}
			if depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}
