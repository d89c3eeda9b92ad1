package sqltext

import (
	"fmt"
	"hash/fnv"
)

// tokenFingerprint identifies canonical text without its grammar: "~" and 16
// hexadecimal digits over the tokens, any constant counting for any other and
// layout for nothing.
func tokenFingerprint(s []byte) string {
	h := fnv.New64a()
	operand := false // the last token can be the left side of a binary operator
	for t, rest := next(s); t.kind != tokEnd; t, rest = next(rest) {
		constant := t.kind == tokString || t.kind == tokNumber || t.kind == tokParam
		switch {
		case constant:
			h.Write([]byte{'?'})
		case t.kind == tokOperator && len(t.text) == 1 && t.text[0] == '-' && !operand && startsNumber(rest):
			continue // the sign of a constant
		default:
			h.Write(t.text)
		}
		h.Write([]byte{0})
		operand = constant || t.kind == tokWord || t.kind == tokQuoted || t.is(")") || t.is("]")
	}
	return fmt.Sprintf("~%016x", h.Sum64())
}

func startsNumber(s []byte) bool {
	t, _ := next(s)
	return t.kind == tokNumber
}
