package sqltext

import (
	"strings"
	"testing"
)

// benchTexts are of the shapes that logs are full of.
var benchTexts = map[string]string{
	"select100": "select id, score from memories where tenant_id = 1 and bucket_id = 17 order by score desc limit 20",
	"params100": "SELECT o.id, o.total, o.created_at FROM orders o WHERE o.customer_id = $1 ORDER BY o.created_at LIMIT $2",
	"vector10k": "insert into items (embedding) values ('{" + strings.Repeat("1:0.123,", 1250) + "}')",
	"rows1000":  "insert into t (a, b, c) values " + strings.Repeat("(1, 'some text', now()), ", 999) + "(1, 'x', now())",
}

// BenchmarkCached measures the lookup of a text whose class is known.
func BenchmarkCached(b *testing.B) {
	for name, text := range benchTexts {
		b.Run(name, func(b *testing.B) {
			in := NewInterner(0)
			q := []byte(text)
			in.Statement(q)
			b.SetBytes(int64(len(q)))
			b.ReportAllocs()
			for b.Loop() {
				in.Statement(q)
			}
		})
	}
}

// BenchmarkIdentify measures what is done once per class.
func BenchmarkIdentify(b *testing.B) {
	for name, text := range benchTexts {
		b.Run(name, func(b *testing.B) {
			s := canonical(nil, []byte(text))
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				identify(s)
			}
		})
	}
}
