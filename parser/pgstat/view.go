package pgstat

import "github.com/pgassay/pgassay/parser/record"

// viewSpec says by which columns a view is recognised, in canonical names.
type viewSpec struct {
	view record.View
	doc  string
	// all lists columns that must all be there.
	all []string
	// any lists columns of which one must be there; the view with most of them
	// wins, of equal ones the earlier.
	any []string
	// none lists columns that other views have beside these.
	none []string
}

// ViewDoc names a view that is read and says in one line what it holds.
type ViewDoc struct {
	View record.View
	Doc  string
}

// Views lists the views that are read, for the help and for messages.
func Views() []ViewDoc {
	docs := make([]ViewDoc, len(views))
	for i := range views {
		docs[i] = ViewDoc{views[i].view, views[i].doc}
	}
	return docs
}

// recognise finds the view that has the columns; names are as in the file, but
// lower-cased and trimmed. The second result is the canonical names.
func recognise(names []string) (record.View, []string, bool) {
	best, most := -1, 0
	var columns []string
	for i := range views {
		renamed := canonicalNames(views[i].view, names)
		if n := views[i].fits(renamed); n > most {
			best, most, columns = i, n, renamed
		}
	}
	if best < 0 {
		return "", nil, false
	}
	return views[best].view, columns, true
}

// fits counts how many of the view's any columns there are; 0 if it is not
// the view.
func (v *viewSpec) fits(names []string) int {
	have := make(map[string]bool, len(names))
	for _, n := range names {
		have[n] = true
	}
	for _, n := range v.all {
		if !have[n] {
			return 0
		}
	}
	for _, n := range v.none {
		if have[n] {
			return 0
		}
	}
	count := 0
	for _, n := range v.any {
		if have[n] {
			count++
		}
	}
	return count
}
