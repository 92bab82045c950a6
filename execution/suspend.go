package execution

import (
	"context"
	"errors"
)

// ErrSuspended is the cause with which a run's context is ended when the run shall stop
// here and be resumed later: what it was doing and its end are not kept, as if the
// process had died.
var ErrSuspended = errors.New("the run is suspended")

// suspended reports whether a failure only comes of that.
func suspended(ctx context.Context, f *Failure) bool {
	return f != nil && f.Code == CodeCancelled && errors.Is(context.Cause(ctx), ErrSuspended)
}
