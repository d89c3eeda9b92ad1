package explain

import (
	"io"
	"os"
	"testing"

	"github.com/pgassay/pgassay/parser/record"
)

func benchmark(b *testing.B, file string, parse func(*Parser, []byte) error) {
	data, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	p := NewParser()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := parse(p, data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkJSON(b *testing.B) {
	benchmark(b, "testdata/autoexplain_insert.json", func(p *Parser, data []byte) error {
		_, _, err := p.JSON(data, Options{Line: 1})
		return err
	})
}

func BenchmarkJSONExtras(b *testing.B) {
	benchmark(b, "testdata/autoexplain_insert.json", func(p *Parser, data []byte) error {
		_, _, err := p.JSON(data, Options{Extras: true, Line: 1})
		return err
	})
}

func BenchmarkText(b *testing.B) {
	benchmark(b, "testdata/plans/pg12-psort.txt", func(p *Parser, data []byte) error {
		_, _, err := p.Text(data, Options{Line: 1})
		return err
	})
}

func BenchmarkXML(b *testing.B) {
	benchmark(b, "testdata/plans/pg12-psort.xml", func(p *Parser, data []byte) error {
		_, _, err := p.XML(data, Options{Line: 1})
		return err
	})
}

func BenchmarkYAML(b *testing.B) {
	benchmark(b, "testdata/plans/pg12-psort.yaml", func(p *Parser, data []byte) error {
		_, _, err := p.YAML(data, Options{Line: 1})
		return err
	})
}

func BenchmarkWriteText(b *testing.B) {
	var plan *record.Plan
	benchmark(b, "testdata/plans/pg12-psort.txt", func(p *Parser, data []byte) error {
		if plan == nil {
			plan, _, _ = p.Text(data, Options{Extras: true})
		}
		return WriteText(io.Discard, plan)
	})
}

func BenchmarkClone(b *testing.B) {
	benchmark(b, "testdata/autoexplain_insert.json", func(p *Parser, data []byte) error {
		plan, _, err := p.JSON(data, Options{Line: 1})
		Clone(plan)
		return err
	})
}

func BenchmarkArithmetic(b *testing.B) {
	benchmark(b, "testdata/plans/pg18-pbitmap.json", func(p *Parser, data []byte) error {
		plan, _, err := p.JSON(data[4:], Options{Extras: true})
		Arithmetic(plan)
		return err
	})
}
