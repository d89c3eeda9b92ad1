package explain

import (
	"bytes"

	"github.com/pgassay/pgassay/parser/record"
)

// Line is one line of text that was freed of its carrier: what it says, without
// the line break, and the place in the file where it stood.
type Line struct {
	Text   []byte
	Number int64 // in the file, 1 for the first
	Offset int64 // in the file, of the line's first byte
}

// SplitLines cuts a block of a file into lines; pos is the place of its first
// byte. The lines share the block's memory.
func SplitLines(block []byte, pos record.Pos) []Line {
	lines := make([]Line, 0, bytes.Count(block, newline)+1)
	number, offset := pos.Line, pos.Offset
	for text := range bytes.Lines(block) {
		lines = append(lines, Line{trimLineEnd(text), number, offset})
		number++
		offset += int64(len(text))
	}
	return lines
}

func trimLineEnd(text []byte) []byte {
	text = bytes.TrimSuffix(text, newline)
	return bytes.TrimSuffix(text, []byte{'\r'})
}

// joinLines puts lines together again.
func joinLines(lines []Line) []byte {
	size := 0
	for i := range lines {
		size += len(lines[i].Text) + 1
	}
	block := make([]byte, 0, size)
	for i := range lines {
		block = append(append(block, lines[i].Text...), '\n')
	}
	return block
}

// isBlank tells a line of white space.
func isBlank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }
