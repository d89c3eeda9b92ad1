package parser

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/pgassay/pgassay/parser/record"
	"github.com/pgassay/pgassay/parser/source"
)

// heldCap is how many bytes of entries cut by the end of a file are kept to be
// joined; what comes after is read as it stands.
const heldCap = 64 << 20

// keptPrefixes is how many prefixes of a folder are tried on its next file.
const keptPrefixes = 4

// Stream reads the files that paths name (see source.Expand) and calls fold
// with what they yield, one batch after the other. The batches of one file come
// in the order of the file, and the files in the order of their names (those of
// an archive in its own order), except that the last entry of each log comes
// after all files: it may go on in another one. Neither Jobs nor BlockSize changes which records come, nor their
// order; they change only how records are divided into batches.
//
// A batch and its slices are valid until fold returns; what its records point
// to, strings and plans, may be kept.
//
// Damaged and unrecognised input is reported as losses, in the batches and in
// the Report. Errors are: a *UsageError, a file that cannot be opened or read,
// the error of fold, and that of ctx. After an error the goroutine that reads
// may still wait for standard input.
func Stream(ctx context.Context, paths []string, opt Options, fold func(*record.Batch) error) (*Report, error) {
	opt = opt.withDefaults()
	inputs, err := source.Expand(paths, opt.Stdin)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newStream(opt, fold, len(inputs))
	s.size = sizeOf(inputs)
	go s.read(ctx, inputs)
	for range opt.Jobs {
		go s.work()
	}
	if err := s.foldQueue(ctx); err != nil {
		return nil, err
	}
	if err := s.finish(); err != nil {
		return nil, err
	}
	return s.report(), nil
}

// stream is one run. One goroutine reads and cuts, Jobs goroutines parse, and
// the caller's folds. Each job is queued twice: in queue, which keeps the order
// and bounds what is in flight, and in parse, for whichever worker is free.
type stream struct {
	opt     Options
	fold    func(*record.Batch) error
	cutter  *source.Cutter
	queue   chan *job
	parse   chan *job
	batches chan *record.Batch // to be used again
	inputs  int                // number of
	size    int64              // of all inputs as they are, 0 if not known
	bytes   int64              // folded
	taken   int64              // of the inputs as they are, for what was folded

	// Of the reading goroutine, until it closes queue.
	files    []*file
	prefixes map[string][]string // detected so far, by folder, the latest last
	held     int
	before   int64 // bytes of the inputs before the one being read
	text     *source.Text
	err      error
}

// file is one input on its way.
type file struct {
	// File is complete but for Version when the first job is queued.
	record.File
	number int
	det    *source.Detection

	// Of the folding goroutine.
	report FileReport
	kinds  kinds
	first  record.Time

	// Set by the reading goroutine before it closes queue: the text before the
	// first entry, and the last entry.
	orphan, tail *source.Block
	// strange is the loss that the file is, unless its text, which is in orphan,
	// turns out to be a piece of a log.
	strange *record.Loss
}

// job is one block on its way to becoming a batch.
type job struct {
	file  *file
	block *source.Block
	batch *record.Batch
	read  int64 // bytes of all inputs, as they are, when it was sent
	done  chan struct{}
}

func newStream(opt Options, fold func(*record.Batch) error, inputs int) *stream {
	// One more job is with the reader and one with fold.
	inFlight := max(2*opt.Jobs-2, 1)
	return &stream{
		opt:    opt,
		fold:   fold,
		cutter: source.NewCutter(opt.BlockSize, opt.EntryCap),
		queue:  make(chan *job, inFlight),
		parse:  make(chan *job, inFlight+2), // so that only queue makes the reader wait
		inputs: inputs,

		batches:  make(chan *record.Batch, inFlight+2),
		prefixes: make(map[string][]string),
	}
}

// sizeOf is the bytes of all inputs as they are, 0 if that of one is not known.
func sizeOf(inputs []source.Input) int64 {
	sum := int64(0)
	for _, in := range inputs {
		n, ok := in.Size()
		if !ok {
			return 0
		}
		sum += n
	}
	return sum
}

func (s *stream) read(ctx context.Context, inputs []source.Input) {
	defer close(s.queue)
	defer close(s.parse)
	for i, in := range inputs {
		visit := func(t *source.Text) error { return s.readText(ctx, i+1, t) }
		if s.err = in.Each(visit); s.err != nil {
			return
		}
		size, _ := in.Size()
		s.before += size
	}
}

func (s *stream) readText(ctx context.Context, number int, t *source.Text) error {
	f := &file{number: number, first: record.NoTime}
	f.Name = t.Name
	s.text = t
	s.files = append(s.files, f)
	start := record.Pos{File: t.Name, Line: 1, Offset: t.Start}
	if t.EOF && len(bytes.TrimSpace(t.Head)) == 0 {
		if _, damage := t.Damage(); damage == nil {
			f.Format = FormatEmpty
		}
		return s.damage(ctx, f, t, start)
	}
	folder := path.Dir(t.Name)
	r, err := s.opt.recognise(t, s.prefixes[folder])
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	r.describe(&f.File)
	if r.det == nil {
		l := record.Loss{Pos: start, Kind: record.LossFile, Text: r.loss, Count: 1}
		if r.strange {
			return s.keepWhole(ctx, f, t, l)
		}
		return s.lose(ctx, f, &source.Block{}, l)
	}
	f.det = r.det
	s.remember(folder, r.det.Prefix)
	blocks, err := s.cutter.Cut(t, r.det, r.from)
	if err != nil {
		return err
	}
	defer blocks.Close()
	if err := s.readBlocks(ctx, f, blocks); err != nil {
		return err
	}
	return s.damage(ctx, f, t, blocks.End())
}

// remember keeps the last few different prefixes of a folder.
func (s *stream) remember(folder, prefix string) {
	known := s.prefixes[folder]
	if prefix == "" || slices.Contains(known, prefix) {
		return
	}
	known = append(known, prefix)
	s.prefixes[folder] = known[max(0, len(known)-keptPrefixes):]
}

func (s *stream) readBlocks(ctx context.Context, f *file, blocks *source.Blocks) error {
	switch o := blocks.Orphan(); {
	case o == nil:
	case f.det.Opening != nil && f.det.Opening(o.Data):
		if err := s.lose(ctx, f, o); err != nil {
			return err
		}
	case s.hold(o):
		f.orphan = o
	default:
		return s.lose(ctx, f, o, orphanLoss(o))
	}
	for {
		b, err := blocks.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if b.Tail && s.hold(b) {
			f.tail = b.Detach()
			continue
		}
		if err := s.send(ctx, &job{file: f, block: b, batch: s.newBatch(f)}); err != nil {
			return err
		}
	}
}

// hold reports whether b may be kept until all files are read.
func (s *stream) hold(b *source.Block) bool {
	if s.held+len(b.Data) > heldCap {
		return false
	}
	s.held += len(b.Data)
	return true
}

func (s *stream) damage(ctx context.Context, f *file, t *source.Text, end record.Pos) error {
	if nuls := t.NULs(); len(nuls) > 0 {
		if err := s.lose(ctx, f, &source.Block{}, nuls...); err != nil {
			return err
		}
	}
	kind, err := t.Damage()
	if err == nil {
		return nil
	}
	text := err.Error()
	if kind == record.LossTruncated {
		text = "the file ends early or is damaged: " + text
	}
	return s.lose(ctx, f, &source.Block{}, record.Loss{Pos: end, Kind: kind, Text: text, Count: 1})
}

// lose queues losses, with the lines and bytes of b but not its data.
func (s *stream) lose(ctx context.Context, f *file, b *source.Block, l ...record.Loss) error {
	passed := &source.Block{Lines: b.Lines, Bytes: b.Bytes, Losses: append(b.Losses, l...)}
	return s.send(ctx, &job{file: f, block: passed, batch: s.newBatch(f)})
}

func (s *stream) send(ctx context.Context, j *job) error {
	j.done = make(chan struct{})
	j.read = s.before + s.text.Taken()
	select {
	case s.queue <- j:
		s.parse <- j
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *stream) work() {
	for j := range s.parse {
		j.file.parse(j.block, j.block.Data, j.batch)
		j.block.Release()
		close(j.done)
	}
}

// parse reads data, which stands at the place of b, into batch.
func (f *file) parse(b *source.Block, data []byte, batch *record.Batch) {
	batch.Losses = append(batch.Losses, b.Losses...)
	if len(data) > 0 {
		f.det.Parse(data, b.Pos, batch)
	}
	batch.Lines, batch.Bytes = b.Lines, b.Bytes
}

// foldQueue folds what the reader queues, until it is done or fails.
func (s *stream) foldQueue(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case j, ok := <-s.queue:
			if !ok {
				s.taken = s.before
				return s.err
			}
			<-j.done
			s.taken = j.read
			if err := s.deliver(j.file, j.batch); err != nil {
				return err
			}
		}
	}
}

// deliver counts the batch, folds it and takes it back.
func (s *stream) deliver(f *file, b *record.Batch) error {
	f.report.add(b)
	f.kinds.add(b)
	s.bytes += b.Bytes
	if !f.first.Known() {
		f.first = firstTime(b)
	}
	if v := lastVersion(b); v != "" {
		f.Version = v
	}
	if err := s.fold(b); err != nil {
		return err
	}
	s.recycle(b)
	if s.opt.OnProgress != nil {
		s.opt.OnProgress(Progress{File: f.Name, Number: f.number, All: s.inputs, Bytes: s.bytes, Read: s.taken, Size: s.size})
	}
	return nil
}

func (s *stream) report() *Report {
	r := &Report{Files: make([]FileReport, len(s.files))}
	for i, f := range s.files {
		r.Files[i] = f.report
		r.Files[i].File = f.File
		r.Files[i].Kinds = f.kinds.list()
	}
	slices.SortStableFunc(r.Files, func(a, b FileReport) int { return strings.Compare(a.Name, b.Name) })
	return r
}

func (s *stream) newBatch(f *file) *record.Batch {
	var b *record.Batch
	select {
	case b = <-s.batches:
	default:
		b = new(record.Batch)
	}
	b.File = &f.File
	return b
}

// recycle keeps the batch's slices for another one, without what they point to.
func (s *stream) recycle(b *record.Batch) {
	clear(b.Executions)
	clear(b.Vacuums)
	clear(b.Events)
	clear(b.Samples)
	clear(b.Losses)
	clear(b.Stretches)
	clear(b.Unknown)
	*b = record.Batch{
		Executions: b.Executions[:0],
		Vacuums:    b.Vacuums[:0],
		Events:     b.Events[:0],
		Samples:    b.Samples[:0],
		Losses:     b.Losses[:0],
		Stretches:  b.Stretches[:0],
		Unknown:    b.Unknown[:0],
	}
	select {
	case s.batches <- b:
	default:
	}
}
