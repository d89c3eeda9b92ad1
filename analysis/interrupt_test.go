package analysis

import (
	"context"
	"errors"
	"testing"
)

func TestAnInterruptDoesNotWaitForTheEvaluation(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := unless(ctx, func() int { select {} }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if v, err := unless(context.Background(), func() int { return 5 }); v != 5 || err != nil {
		t.Errorf("%d, %v without an interrupt", v, err)
	}
}
