package signature

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// detail is the value of a plan key that has no field of its own.
func detail(list []record.KeyValue, key string) (string, bool) {
	for _, kv := range list {
		if kv.Key == key {
			return kv.Value, true
		}
	}
	return "", false
}

// detailNumber reads "16", "350kB" or "1.5 ms".
func detailNumber(list []record.KeyValue, key string) (float64, bool) {
	text, ok := detail(list, key)
	if !ok {
		return 0, false
	}
	return leadingNumber(text)
}

// leadingNumber reads the number at the start of a text.
func leadingNumber(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	end := 0
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] == '.') {
		end++
	}
	v, err := strconv.ParseFloat(text[:end], 64)
	return v, err == nil
}

// detailList reads a list of expressions: a JSON array, or text with commas.
func detailList(list []record.KeyValue, key string) []string {
	text, ok := detail(list, key)
	if !ok {
		return nil
	}
	var out []string
	if strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &out) == nil {
		return out
	}
	return splitList(text)
}

// splitList cuts at the commas that stand in no parentheses and no quotes.
func splitList(text string) []string {
	var out []string
	depth, start := 0, 0
	var quoted byte
	for i := range len(text) {
		switch b := text[i]; {
		case quoted != 0:
			if b == quoted {
				quoted = 0
			}
		case b == '\'' || b == '"':
			quoted = b
		case b == '(' || b == '[':
			depth++
		case b == ')' || b == ']':
			depth--
		case b == ',' && depth == 0:
			out = append(out, strings.TrimSpace(text[start:i]))
			start = i + 1
		}
	}
	return append(out, strings.TrimSpace(text[start:]))
}

// millisecondsAfter finds "Total 15.321 ms" or "time=0.207 ms" in a line of
// figures.
func millisecondsAfter(text, name string) (float64, bool) {
	i := strings.LastIndex(text, name)
	if i < 0 {
		return 0, false
	}
	return leadingNumber(text[i+len(name):])
}

// kilobytes reads a memory setting: "4MB", "64 kB", "65536kB", "4096" (kB).
func kilobytes(text string) (float64, bool) {
	n, ok := leadingNumber(text)
	if !ok {
		return 0, false
	}
	switch strings.ToUpper(strings.TrimLeft(strings.TrimSpace(text), "0123456789. ")) {
	case "", "KB":
		return n, true
	case "B":
		return n / 1024, true
	case "MB":
		return n * 1024, true
	case "GB":
		return n * 1024 * 1024, true
	case "TB":
		return n * 1024 * 1024 * 1024, true
	}
	return 0, false
}

// defaultWorkMem is work_mem in kB where nothing is set (all versions since 9.4).
const defaultWorkMem = 4096

// workMem is work_mem in kB, and whether the input tells it.
func (c *planCase) workMem() (kb float64, told bool) {
	if text, ok := c.setting("work_mem"); ok {
		if kb, ok := kilobytes(text); ok && kb > 0 {
			return kb, true
		}
	}
	return defaultWorkMem, false
}

// hashMultiplier is hash_mem_multiplier: what hash tables may use beyond
// work_mem. It came with 13 as 1.0 and is 2.0 since 15; where nothing is told
// 1.0 is taken, which asks for more memory, not for less.
func (c *planCase) hashMultiplier() float64 {
	if text, ok := c.setting("hash_mem_multiplier"); ok {
		if v, ok := leadingNumber(text); ok && v >= 1 {
			return v
		}
	}
	return 1
}

// memorySetting rounds a need in kB up to a value that a person would set: a
// power of two of MB, or one and a half of it.
func memorySetting(kb float64) string {
	mb := 1.0
	for mb < 1<<20 {
		if mb*1024 >= kb {
			break
		}
		if mb >= 2 && mb*1.5*1024 >= kb {
			mb *= 1.5
			break
		}
		mb *= 2
	}
	if mb >= 1024 && math.Mod(mb, 1024) == 0 {
		return strconv.FormatFloat(mb/1024, 'f', -1, 64) + "GB"
	}
	return strconv.FormatFloat(mb, 'f', -1, 64) + "MB"
}
