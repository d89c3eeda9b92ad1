package source

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
)

// MemberMark stands between the name of an archive and the path in it.
const MemberMark = "!"

// unpacking is one archive on its way to its files.
type unpacking struct {
	*opening
	archive place
	names   map[string]int // how often each was met
	files   int
	full    bool // the limit of files is hit
}

// member opens one member if it is a file to be read.
func (u *unpacking) member(m member) error {
	if m.data != nil {
		defer m.data.Close()
	}
	name := memberPath(m.name)
	if !m.file || passedOverIn(name) {
		return nil
	}
	if u.files == u.budget.members {
		u.full = true
		return u.nothing(u.archive, record.LossCap, fmt.Errorf("more than %d files in it: the others were left out", u.files))
	}
	u.files++
	full := u.archive.name + MemberMark + u.unique(name)
	p := place{name: full, base: full, kind: u.archive.kind, depth: u.archive.depth + 1}
	if m.refuse != "" {
		return u.nothing(p, record.LossFile, errors.New(m.refuse))
	}
	return u.open(p, &meter{r: m.data, b: u.budget})
}

// unique tells members of one name apart: an archive that was appended to has
// older and newer versions.
func (u *unpacking) unique(name string) string {
	u.names[name]++
	if n := u.names[name]; n > 1 {
		return fmt.Sprintf("%s (%d)", name, n)
	}
	return name
}

// end is the end of the archive.
func (u *unpacking) end() error {
	if u.files > 0 {
		return nil
	}
	return u.nothing(u.archive, record.LossFile, errors.New("an archive without a file to read"))
}

// cut is an archive that cannot be read further. It is told once, with the
// member in which it happened if there is one.
func (u *unpacking) cut(err error) error {
	_, told, failure := u.damage(err)
	if failure == nil && u.damaged != nil && u.damaged.Error() == told.Error() {
		return nil
	}
	return u.broken(u.archive, err)
}

// memberPath is the name of a member as a path below the archive: it is a label
// only, and does not lead anywhere else.
func memberPath(name string) string {
	name = strings.ToValidUTF8(strings.ReplaceAll(name, `\`, "/"), "\uFFFD")
	return path.Clean("/" + name)[1:]
}

// passedOverIn reports whether a member is left out as it would be in a folder.
func passedOverIn(name string) bool {
	for _, part := range strings.Split(name, "/") {
		if passedOver(part) {
			return true
		}
	}
	return name == ""
}

// Folder is the folder that a text lies in, an archive being one: texts of two
// folders are of two servers, as far as names tell.
func Folder(name string) string {
	archive, inner, packed := cutLast(name, MemberMark)
	if !packed {
		return path.Dir(name)
	}
	return archive + MemberMark + path.Dir(inner)
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
