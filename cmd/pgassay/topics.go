package main

import (
	"embed"
	"io/fs"
	"path"
	"strings"

	"github.com/spf13/cobra"
)

// topics are pages that belong to no command: "pgassay help ci". The first line
// of each is its title.
//
//go:embed help/*.md
var topics embed.FS

// newTopics makes a command without a function of each page, which cobra lists
// as a help topic.
func newTopics() []*cobra.Command {
	pages, err := fs.Glob(topics, "help/*.md")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	var all []*cobra.Command
	for _, page := range pages {
		text, err := topics.ReadFile(page)
		if err != nil {
			panic(err) // it was listed
		}
		title, _, _ := strings.Cut(string(text), "\n")
		all = append(all, &cobra.Command{
			Use:   strings.TrimSuffix(path.Base(page), ".md"),
			Short: strings.TrimPrefix(title, "# "),
			Long:  strings.TrimSpace(string(text)),
		})
	}
	return all
}
