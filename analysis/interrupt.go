package analysis

import "context"

// unless computes f, and gives up waiting when ctx ends. f then goes on until it
// is done, and its result is dropped: nobody waits for an evaluation of minutes
// after an interrupt, and the process ends. The error is that of ctx.
func unless[T any](ctx context.Context, f func() T) (T, error) {
	done := make(chan T, 1)
	go func() { done <- f() }()
	select {
	case v := <-done:
		return v, nil
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
