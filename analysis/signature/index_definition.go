package signature

// indexDefinition is what pg_get_indexdef prints, taken apart. Its parts are in
// the server's canonical spelling, so that equal parts have equal texts.
type indexDefinition struct {
	Method string
	// Keys are the key columns or expressions in order, each with its collation,
	// operator class, direction and place of nulls where they are not the default.
	Keys      []string
	Include   []string
	Predicate string // of a partial index; "" covers the whole table
	Unique    bool
	// NullsNotDistinct is that of a unique index (15).
	NullsNotDistinct bool
}

// definitionOf reads "CREATE UNIQUE INDEX x ON s.t USING btree (a, lower(b)
// DESC) INCLUDE (c) WHERE d"; false if the text is anything else or too long.
func definitionOf(text string) (indexDefinition, bool) {
	list := tokens(text)
	if len(list) < 2 || list[0].text != "CREATE" {
		return indexDefinition{}, false
	}
	d := indexDefinition{Unique: list[1].text == "UNIQUE"}
	at := 0
	for at < len(list) && list[at].text != "USING" {
		at++
	}
	if at+2 >= len(list) || list[at+1].kind != tokenWord {
		return indexDefinition{}, false
	}
	d.Method = list[at+1].text
	end := closing(list, at+2)
	if end < 0 || list[at+2].text != "(" {
		return indexDefinition{}, false
	}
	d.Keys = splitList(join(list[at+3 : end]))
	for i := end + 1; i < len(list); i++ {
		switch list[i].text {
		case "INCLUDE":
			if to := closing(list, i+1); to > 0 {
				d.Include = splitList(join(list[i+2 : to]))
				i = to
			}
		case "NULLS":
			d.NullsNotDistinct = true
		case "WHERE":
			d.Predicate = join(list[i+1:])
			i = len(list)
		}
	}
	return d, true
}

// keyColumn is the name if the key is a plain column in whatever order, "" if it
// is an expression.
func keyColumn(key string) string {
	words := tokens(key)
	if len(words) == 0 || words[0].kind != tokenWord || len(words) > 1 && (words[1].text == "(" || words[1].text == ".") {
		return ""
	}
	return words[0].text
}
