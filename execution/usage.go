package execution

import (
	"time"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// Usage is what a run has used, with what it used before it was interrupted.
type Usage struct {
	Calls    int           // to servers, attempts included
	BytesIn  int           // of the values that they answered, as compact JSON
	Duration time.Duration // waits for a gate or for answers of the user excluded
}

func (l *live) usage() Usage {
	return Usage{Calls: l.spent.count(callsMade), BytesIn: l.spent.count(bytesIn), Duration: l.clock.elapsed()}
}

// answered returns the bytes that the calls of a record were answered.
func (r *Record) answered() (bytes int) {
	for _, a := range r.Attempts {
		bytes += a.Error.answered()
	}
	switch {
	case r.NodeType != config.MCPNode || r.Parts > 0 || r.Edited:
		return 0
	case r.Error != nil:
		return bytes + r.Error.answered()
	case r.Handled != nil:
		return bytes + r.Handled.answered()
	case r.Cached:
		return bytes
	}
	return bytes + r.Bytes
}

func (f *Failure) answered() int { return max(len(f.Result), len(f.Structured)) }

// spilled returns the size of a result that is longer than maxResultBytes; else 0.
func (l *live) spilled(v value.Value) int {
	most := l.root.graph.Limits.MaxResultBytes
	if most == 0 {
		return 0
	}
	if size := value.Size(v); size > most {
		return size
	}
	return 0
}
