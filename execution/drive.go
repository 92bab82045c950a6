package execution

import (
	"context"

	"toolgraph/expressions/value"
)

// drive is the one loop: it takes a run to its end on a host. The error is a
// *StepError for a failure of the run, or the host's own error.
func drive(r *Run, host Host) (value.Value, error) {
	for {
		if failed := r.failure(); failed != nil { // also that of a run that is resumed
			return nil, r.stepError(failed)
		}
		step, err := host.Advance(r.Advance)
		if err != nil {
			return nil, err
		}
		if err := commit(r, host, step.Records...); err != nil {
			return nil, err
		}
		switch {
		case step.Failure != nil:
			return nil, r.stepError(step.Failure)
		case step.Done:
			return r.value(), nil
		case step.Call != nil:
			if err := commit(r, host, r.call(host, step.Call)); err != nil {
				return nil, err
			}
		}
	}
}

// call makes a call and returns its record.
func (r *Run) call(host Host, c *Call) Record {
	start := host.Now()
	output, err := host.Call(*c)
	rec := r.record(context.Background(), c.Node, start, output, err)
	rec.End = host.Now()
	return rec
}

// commit makes records lasting, then applies them.
func commit(r *Run, host Host, records ...Record) error {
	if len(records) == 0 {
		return nil
	}
	if err := host.Commit(records...); err != nil {
		return err
	}
	for _, rec := range records {
		if err := r.Apply(rec); err != nil {
			return err
		}
	}
	return nil
}

// value is the output of the exit, the last record: JSON, so nothing is null.
func (r *Run) value() value.Value {
	if output := r.state.records[len(r.state.records)-1].Output; output != nil {
		return output
	}
	return value.Null
}

// pathShown is how many of the last nodes an error tells.
const pathShown = 12

func (r *Run) stepError(f *Failure) *StepError {
	step := len(r.state.records)
	if r.failure() != nil { // the last record is the step that failed
		step--
	}
	return &StepError{
		Run: r.id, Tool: r.graph.Tool.Name.Value, Node: f.Node, Step: step, Pos: f.Pos,
		Path: r.state.lastNodes(pathShown), cut: r.state.executions() > pathShown, Err: f,
	}
}
