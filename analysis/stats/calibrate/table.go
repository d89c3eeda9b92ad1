package main

import (
	"fmt"
	"io"
	"math"
	"sync"
)

// table prints figures beside their bounds.
type table struct {
	out io.Writer
	bad int // figures out of bounds
}

func (t *table) title(text string) { fmt.Fprintf(t.out, "\n%s\n", text) }

// row prints a count out of n with its share. lo and hi bound the count; a row
// without bounds informs.
func (t *table) row(what string, count, n, lo, hi int) {
	says := "ok"
	if count < lo || count > hi {
		says = "NOT OK"
		t.bad++
	}
	fmt.Fprintf(t.out, "  %-64s %6d of %-6d %5.1f %%   %-16s %s\n", what, count, n, 100*float64(count)/float64(n), bounds(lo, hi, n), says)
}

// told prints a count that has no bounds.
func (t *table) told(what string, count, n int) {
	fmt.Fprintf(t.out, "  %-64s %6d of %-6d %5.1f %%\n", what, count, n, 100*float64(count)/float64(max(n, 1)))
}

func bounds(lo, hi, n int) string {
	switch {
	case lo <= 0:
		return fmt.Sprintf("at most %d", hi)
	case hi >= n:
		return fmt.Sprintf("at least %d", lo)
	}
	return fmt.Sprintf("%d to %d", lo, hi)
}

// atMost is the greatest count of n draws of probability p that chance alone
// exceeds but once in a thousand.
func atMost(n int, p float64) int {
	mean := float64(n) * p
	return int(math.Ceil(mean + 3.1*math.Sqrt(mean*(1-p))))
}

// atLeast is the least such count.
func atLeast(n int, p float64) int { return n - atMost(n, 1-p) }

// each computes f for 0 … n−1, some at a time, and gives the results in order.
func each[T any](n, jobs int, f func(i int) T) []T {
	out := make([]T, n)
	var wait sync.WaitGroup
	for job := range max(1, jobs) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := job; i < n; i += max(1, jobs) {
				out[i] = f(i)
			}
		}()
	}
	wait.Wait()
	return out
}

// count is how many of n hold.
func count(n, jobs int, holds func(i int) bool) int {
	sum := 0
	for _, ok := range each(n, jobs, holds) {
		if ok {
			sum++
		}
	}
	return sum
}
