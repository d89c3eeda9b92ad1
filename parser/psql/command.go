package psql

import (
	"bytes"
	"strconv"
	"strings"
)

// cutTag reads a line that is a command tag alone, "DELETE 2000" or "CREATE
// INDEX": the command and the rows it counts, 0 if it counts none. The tags are
// those of PostgreSQL's cmdtaglist.h.
func cutTag(text []byte) (command string, rows int64, ok bool) {
	const longest = 60
	text = bytes.TrimRight(text, " ")
	if len(text) == 0 || len(text) > longest || text[0] < 'A' || text[0] > 'Z' {
		return "", 0, false
	}
	words := strings.Split(string(text), " ")
	n := len(words)
	for n > 0 && isNumber([]byte(words[n-1])) {
		n--
	}
	for _, w := range words[:n] {
		if w == "" || strings.Trim(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return "", 0, false
		}
	}
	command = strings.Join(words[:n], " ")
	if len(words)-n != numbersOf(command) || !isCommand(words[:n]) {
		return "", 0, false
	}
	if n < len(words) {
		count, err := strconv.ParseInt(words[len(words)-1], 10, 64)
		return command, count, err == nil
	}
	return command, 0, true
}

// numbersOf is how many numbers stand behind a command: INSERT has an OID too.
func numbersOf(command string) int {
	switch command {
	case "INSERT":
		return 2
	case "DELETE", "UPDATE", "MERGE", "SELECT", "COPY", "FETCH", "MOVE":
		return 1
	}
	return 0
}

// isCommand tells the words of a command tag.
func isCommand(words []string) bool {
	switch words[0] {
	case "CREATE", "ALTER", "DROP":
		return len(words) > 1 && len(words) < 5
	}
	switch strings.Join(words, " ") {
	case "INSERT", "DELETE", "UPDATE", "MERGE", "SELECT", "COPY", "FETCH", "MOVE",
		"BEGIN", "START TRANSACTION", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE",
		"PREPARE TRANSACTION", "COMMIT PREPARED", "ROLLBACK PREPARED",
		"VACUUM", "ANALYZE", "CLUSTER", "REINDEX", "TRUNCATE TABLE", "REFRESH MATERIALIZED VIEW",
		"CHECKPOINT", "SET", "SET CONSTRAINTS", "RESET", "SHOW", "DISCARD", "DISCARD ALL", "DISCARD PLANS",
		"DISCARD SEQUENCES", "DISCARD TEMP", "PREPARE", "DEALLOCATE", "DEALLOCATE ALL", "DECLARE CURSOR",
		"CLOSE CURSOR", "CLOSE CURSOR ALL", "DO", "CALL", "LOCK TABLE", "COMMENT", "GRANT", "GRANT ROLE", "REVOKE",
		"REVOKE ROLE", "LISTEN", "UNLISTEN", "NOTIFY", "LOAD", "EXPLAIN", "SECURITY LABEL", "IMPORT FOREIGN SCHEMA",
		"REASSIGN OWNED":
		return true
	}
	return false
}

// sqlWords begin a statement.
const sqlWords = " abort alter analyze begin call checkpoint close cluster comment commit copy create deallocate declare delete " +
	"discard do drop end execute explain fetch grant import insert listen load lock merge move notify prepare reassign refresh " +
	"reindex release reset revoke rollback savepoint security select set show start table truncate unlisten update vacuum values with "

// firstWord is the first word of text in lower case, if it is short enough to be
// a key word.
func firstWord(text []byte) string {
	const longest = 12
	n := 0
	for n < len(text) && (text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z') {
		if n++; n > longest {
			return ""
		}
	}
	return strings.ToLower(string(text[:n]))
}

// isSQL tells text that begins like a statement.
func isSQL(text []byte) bool {
	word := firstWord(text)
	if word == "" || !strings.Contains(sqlWords, " "+word+" ") {
		return false
	}
	next := firstWord(bytes.TrimLeft(text[len(word):], " \t"))
	switch word {
	case "delete":
		return next == "from"
	case "insert":
		return next == "into"
	}
	return true
}

// endsSQL tells the last line of a statement: a semicolon, or a command of
// psql's that sends it.
func endsSQL(text []byte) bool {
	text = bytes.TrimRight(text, " \t")
	if bytes.HasSuffix(text, []byte{';'}) {
		return true
	}
	i := bytes.LastIndexByte(text, '\\')
	return i >= 0 && len(text) > i+1 && text[i+1] == 'g'
}

// cutPrompt takes psql's default prompt off: "name=# ", or "name-# " where a
// statement goes on.
func cutPrompt(text []byte) (rest []byte, first, ok bool) {
	const longest = 80
	near := text[:min(len(text), longest)]
	i := bytes.IndexAny(near, "#> ")
	if i < 2 || near[i] == ' ' || i+1 < len(text) && text[i+1] != ' ' {
		return text, false, false
	}
	state := text[i-1]
	if i > 2 && bytes.IndexByte([]byte("*!?"), state) >= 0 {
		state = text[i-2] // inside a transaction
	}
	if bytes.IndexByte([]byte(`=-'"(*^$!@`), state) < 0 {
		return text, false, false
	}
	return bytes.TrimLeft(text[i+1:], " "), bytes.IndexByte([]byte("=^!@"), state) >= 0, true
}
