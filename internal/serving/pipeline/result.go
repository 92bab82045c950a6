package pipeline

import (
	"math"
	"time"

	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// The values of status.
const (
	statusSuccess = "success"
	statusError   = "error"
	statusSkipped = "skipped"
)

// result makes the result of a request from what was executed: see outputSchema. failed is why the
// run ended before its last step; nil: it did not.
func result(steps []*step, executed []graph.Outcome, failed *graph.Problem) value.Value {
	outcomes := make(map[string]graph.Outcome, len(executed))
	for _, o := range executed {
		outcomes[o.Node] = o
	}
	listed := make([]value.Value, 0, len(steps))
	var names []string
	var values []value.Value
	total, shown := 0.0, false
	for _, s := range steps {
		o, ran := outcomes[s.node]
		if failed != nil && (s.node != "" && (failed.Node == s.node || failed.Node == ifPrefix+s.node)) {
			shown = true
			o.Failed = failed // also when a limit ended the run before the step was executed
		}
		status, took := statusSkipped, math.Round(float64(o.Took)/float64(time.Millisecond))
		total += took
		entry := value.NewMap()
		entry.Set("id", s.id)
		entry.Set("tool", s.written)
		entry.Set("status", status)
		switch {
		case s.refused != nil:
			entry.Set("error", errorValue(s.refused))
		case o.Failed != nil:
			entry.Set("status", statusError)
			entry.Set("error", errorValue(o.Failed))
		case ran:
			entry.Set("status", statusSuccess)
			if o.Output != nil {
				entry.Set("result", o.Output)
				names, values = append(names, s.name()), append(values, o.Output)
			}
		}
		entry.Set("duration_ms", took)
		listed = append(listed, entry)
	}
	out := value.NewMap()
	out.Set("steps", listed)
	out.Set("variables", value.NewObject(names, values))
	out.Set("total_duration_ms", total)
	out.Set("aborted", failed != nil)
	if failed != nil && !shown {
		out.Set("error", errorValue(failed))
	}
	return out
}

func errorValue(p *graph.Problem) value.Value {
	out := value.NewMap()
	out.Set("code", p.Code)
	out.Set("message", p.Message)
	out.Set("retriable", retriable(p))
	if text := hint(p); text != "" {
		out.Set("hint", text)
	}
	return out
}
