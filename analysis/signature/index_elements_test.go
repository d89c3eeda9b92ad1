package signature

import (
	"strings"
	"testing"

	"github.com/pgassay/pgassay/analysis/finding"
	"github.com/pgassay/pgassay/parser/record"
)

// sized adds percentiles of pg_column_size to a load on public.items.
func sized(t *testing.T, b *record.Batch, columns ...string) *record.Batch {
	t.Helper()
	b.Samples = append(b.Samples, annRows(t, record.ViewColumnSizes, columns...)...)
	return b
}

func TestWalkTellsTheSizesOfItsElements(t *testing.T) {
	for name, c := range map[string]struct {
		columns    []string
		text, says string
		confidence finding.Confidence
	}{
		"varying": {[]string{"relname=items", "attname=embedding", "n=5000", "p10=260", "p50=453", "p90=598"},
			"2.30 (p10 260 bytes, p50 453 bytes, p90 598 bytes of 5,000 rows)", "varying size", finding.Confirmed},
		"fixed": {[]string{"schemaname=public", "relname=items", "attname=embedding", "p10=264", "p90=264", "p99=264"},
			"1.00", "not to be expected", finding.Likely},
		"the largest not told": {[]string{"relname=public.items", "attname=embedding", "p10=264", "p90=264"},
			"1.00", "the largest are not told", finding.Confirmed},
	} {
		t.Run(name, func(t *testing.T) {
			f := only(t, run(sized(t, fullWalk.batch(), c.columns...), linearPageWalk), "PGA101")
			sizes := figure(t, f, "element sizes p90/p10")
			wantText(t, "text", sizes.Text, c.text)
			wantText(t, "says", sizes.Says, c.says)
			if f.Confidence != c.confidence {
				t.Errorf("%s: %s", f.Confidence, f.WhyConfidence)
			}
			if last := f.Evidence[len(f.Evidence)-1]; last.What != "sizes" || !strings.Contains(last.Excerpt, "pg_column_size of embedding") {
				t.Errorf("evidence %+v", last)
			}
		})
	}
}

// The sizes of another column or table, or that contradict themselves, are not
// those of the elements.
func TestSizesOfOtherColumnsTellNothing(t *testing.T) {
	for name, columns := range map[string][]string{
		"column":  {"relname=items", "attname=title", "p10=264", "p99=264"},
		"table":   {"relname=docs", "attname=embedding", "p10=264", "p99=264"},
		"schema":  {"schemaname=old", "relname=items", "attname=embedding", "p10=264", "p99=264"},
		"order":   {"relname=items", "attname=embedding", "p10=264", "p99=16"},
		"nothing": {"relname=items", "attname=embedding", "n=0"},
	} {
		t.Run(name, func(t *testing.T) {
			f := only(t, run(sized(t, fullWalk.batch(), columns...), linearPageWalk), "PGA101")
			for _, x := range f.Figures {
				if strings.HasPrefix(x.What, "element sizes") {
					t.Errorf("%s %s: %s", x.What, x.Text, x.Says)
				}
			}
			if f.Confidence != finding.Confirmed {
				t.Error(f.WhyConfidence)
			}
		})
	}
}

// An equation that holds over vectors of one length is not pgvector's walk for
// sure.
func TestWalkOverVectorsOfOneLengthIsNotConfirmed(t *testing.T) {
	b := fullWalk.batch()
	for i := range b.Samples {
		for j, v := range b.Samples[i].Values {
			b.Samples[i].Values[j].Text = strings.Replace(v.Text, "sparsevec_l2_ops", "vector_l2_ops", 1)
		}
	}
	f := only(t, run(b, linearPageWalk), "PGA101")
	if f.Confidence != finding.Likely || !strings.Contains(f.WhyConfidence, "vector_l2_ops indexes vectors of one length") {
		t.Errorf("%s: %s", f.Confidence, f.WhyConfidence)
	}
}

func TestToastedVectorsThatFitNoPageStayOutOfLine(t *testing.T) {
	sizes := func(bytes string) []record.Sample {
		return append(docsPages(t, "20"), annRows(t, record.ViewColumnSizes, "relname=docs", "attname=body", "p10="+bytes, "p90="+bytes)...)
	}
	f := ann(t, toastedVectors, "toast.txt", sizes("4004"))
	wantText(t, "size", figure(t, f, "pg_column_size of body").Text, "p90 3.91 kB")
	wantText(t, "actions", f.Actions, "SET STORAGE PLAIN")
	for _, a := range ann(t, toastedVectors, "toast.txt", sizes("12004")).Actions {
		if strings.Contains(a.Do, "STORAGE PLAIN") {
			t.Error("12,004 bytes fit no page of 8,192:", a.Do)
		}
	}
}
