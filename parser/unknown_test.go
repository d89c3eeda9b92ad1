package parser

import (
	"fmt"
	"strings"
	"testing"
)

func TestMessagesNotUnderstoodHavePlacesAndAreNoLoss(t *testing.T) {
	var text strings.Builder
	for i := range 60 {
		message := "duration: 1.000 ms  statement: select 1"
		if i%2 == 1 {
			message = "the extension of somebody says hello"
		}
		fmt.Fprintf(&text, "2026-11-30 14:17:%02d.150 UTC [7] LOG:  %s\n", i, message)
	}
	for _, ship := range []string{"", "2026-11-30T14:17:31.150000Z "} {
		log := strings.TrimSuffix(strings.ReplaceAll(ship+text.String(), "\n", "\n"+ship), ship)
		folder(t, map[string]string{"in/a.log": log})
		for _, size := range []int{200, 0} {
			got := run(t, Options{Formats: Formats, BlockSize: size}, "in")
			f := got.Report.Files[0]
			if f.Entries != 60 || f.Understood != 30 || len(got.Losses) > 0 || len(f.Unknown) != maxUnknown {
				t.Fatalf("%d of %d understood, losses %+v, places %v", f.Understood, f.Entries, got.Losses, f.Unknown)
			}
			for i, p := range f.Unknown {
				if p.File != "in/a.log" || p.Line != int64(2*i+2) {
					t.Errorf("place %d is %v", i, p)
				}
			}
		}
	}
}
