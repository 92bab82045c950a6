package journal

import (
	"strconv"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// assembly makes the outputs again that are made of parts, while a run is read from its beginning.
type assembly struct {
	parts    map[execution.Address]map[string]execution.Record // of open steps
	branches map[execution.Address][]string                    // of open steps, in file order
	made     map[execution.Address]value.Value                 // all so far: a later event may have the same value
}

func newAssembly() *assembly {
	return &assembly{
		parts: map[execution.Address]map[string]execution.Record{}, branches: map[execution.Address][]string{},
		made: map[execution.Address]value.Value{},
	}
}

// started adds the names of branches.
func (a *assembly) started(e *execution.Event) {
	if e.Parts != nil && e.Parts.Branches != nil {
		a.branches[e.At()] = e.Parts.Branches
	}
}

// add adds the record of a part; others are ignored.
func (a *assembly) add(r *execution.Record) {
	if r == nil || r.Part == "" {
		return
	}
	at := r.At()
	step := at.Outer()
	if a.parts[step] == nil {
		a.parts[step] = map[string]execution.Record{}
	}
	a.parts[step][at.Name()] = *r
}

// make returns the value of an event that is made of the parts of a step: of the event's own, or
// of an earlier one.
func (a *assembly) make(of execution.Address, r *execution.Record) value.Value {
	v, known := a.made[of]
	switch {
	case known:
	case r == nil || r.At() != of:
		v = (&Gap{Reason: Unwritten}).value()
	default:
		v = assemble(r, a.branches[of], a.parts[of])
		a.made[of] = v
		delete(a.parts, of)
		delete(a.branches, of)
	}
	return v
}

// assemble makes a list, or for a parallel an object. A part without a record was lost.
func assemble(r *execution.Record, branches []string, parts map[string]execution.Record) value.Value {
	if r.NodeType != config.ParallelNode {
		list := make([]any, 0, min(r.Parts, len(parts)+1))
		for i := range r.Parts {
			part, known := parts[strconv.Itoa(i)]
			if !known {
				return (&Gap{Reason: Unwritten}).value()
			}
			if part.Output == nil {
				part.Output = value.Null
			}
			list = append(list, part.Output)
		}
		return list
	}
	var keys []string
	var values []value.Value
	for _, name := range branches {
		part, known := parts[name]
		if !known {
			return (&Gap{Reason: Unwritten}).value()
		}
		if part.Output != nil {
			keys, values = append(keys, name), append(values, part.Output)
		}
	}
	if branches == nil {
		return (&Gap{Reason: Unwritten}).value()
	}
	return value.NewObject(keys, values)
}
