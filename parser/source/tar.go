package source

import (
	"archive/tar"
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
)

// tarArchive reads tar files of every dialect that archive/tar knows. One that
// ends without the closing blocks is complete.
var tarArchive = archive{
	name:  "tar",
	match: isTar,
	open: func(_ *opening, _ place, r *bufio.Reader) (members, error) {
		return &tarMembers{tar.NewReader(r)}, nil
	},
}

// isTar checks the sum of the first header, which is what all dialects share.
func isTar(start []byte) bool {
	const block, at, length = 512, 148, 8
	if len(start) < block {
		return false
	}
	text := strings.Trim(string(start[at:at+length]), " \x00")
	want, err := strconv.ParseInt(text, 8, 64)
	if err != nil {
		return false
	}
	sum := int64(length * ' ') // the field itself counts as blanks
	for i, b := range start[:block] {
		if i < at || i >= at+length {
			sum += int64(b)
		}
	}
	return sum == want && start[0] != 0
}

type tarMembers struct{ r *tar.Reader }

func (t *tarMembers) next() (member, error) {
	h, err := t.r.Next()
	if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
		return member{}, err
	}
	file := h.Typeflag == tar.TypeReg || h.Typeflag == tar.TypeGNUSparse
	return member{name: h.Name, file: file, data: io.NopCloser(t.r)}, nil
}
