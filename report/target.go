package report

import (
	"fmt"
	"strings"
)

// Target reads where a report goes and in which format: "FILE" by its
// extension, "FORMAT=FILE" by name, for extensions that several formats share,
// and "DIR/" for the format of several files. The path is returned as written.
// An extension or name that is not known is an error that lists those that are.
func Target(arg string) (Format, string, error) {
	if name, path, named := strings.Cut(arg, "="); named {
		if f, ok := ByName(name); ok {
			if path == "" {
				return Format{}, "", fmt.Errorf("%q names no file", arg)
			}
			return f, path, nil
		}
	}
	if strings.HasSuffix(arg, "/") {
		f, _ := find(func(f *Format) bool { return f.WriteDir != nil })
		return f, arg, nil
	}
	if f, ok := ByExtension(arg); ok {
		return f, arg, nil
	}
	return Format{}, "", fmt.Errorf("%q: the extension tells no format; write FORMAT=FILE, or one of %s", arg, known())
}

// ToFolder reports whether path is a folder to be filled by f.WriteDir, and not
// a file for f.Write.
func (f Format) ToFolder(path string) bool {
	return f.WriteDir != nil && !strings.HasSuffix(strings.ToLower(path), f.Extension)
}

// known lists the formats with their extensions.
func known() string {
	names := make([]string, 0, len(Formats))
	for _, f := range Formats {
		names = append(names, f.Name+" ("+f.Extension+")")
	}
	return strings.Join(names, ", ")
}
