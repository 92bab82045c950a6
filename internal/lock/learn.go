package lock

import (
	"iter"

	"toolgraph/expressions/shape"
	"toolgraph/expressions/value"
)

// Answer is one recorded answer of a tool: the value of a call that succeeded.
type Answer struct {
	Server, Tool string
	Value        value.Value // nil is nothing
}

// Learn is the lock with an outputSchema for each tool that declares none and that has
// answers: what the answers look like, taken together. A tool without answers keeps what
// was learned of it before. A tool that has answered with nothing gets none: no schema
// allows that.
func (l *Lock) Learn(answers iter.Seq[Answer]) *Lock {
	learned := Of(l.Name, l.Entries...)
	type sum struct {
		shape   shape.Shape
		count   int
		nothing bool // is among the answers
	}
	sums := map[int]sum{}
	for a := range answers {
		i, known := learned.search(a.Server, a.Tool)
		if !known || learned.Entries[i].declares() {
			continue
		}
		s, seen := sums[i]
		s.nothing = s.nothing || a.Value == nil
		if s.count++; seen {
			s.shape = shape.Union(s.shape, shape.OfValue(a.Value))
		} else {
			s.shape = shape.OfValue(a.Value)
		}
		sums[i] = s
	}
	for i, s := range sums {
		if s.nothing {
			learned.Entries[i].Output, learned.Entries[i].Learned = nil, 0
			continue
		}
		if kept := keepable(s.shape.Schema(), nil); kept != nil {
			learned.Entries[i].Output, learned.Entries[i].Learned = kept, s.count
		}
	}
	return learned
}

// declares reports whether the tool tells an outputSchema itself.
func (e Entry) declares() bool {
	if e.Learned > 0 {
		return false
	}
	for _, name := range e.Omitted {
		if name == outputSchema {
			return true
		}
	}
	return e.Output != nil
}

// Recall is the lock with what an older one had learned of tools that are still the
// same and still declare nothing.
func (l *Lock) Recall(older *Lock) *Lock {
	recalled := Of(l.Name, l.Entries...)
	for i, e := range recalled.Entries {
		was, known := older.Entry(e.Server, e.Tool)
		if known && was.Learned > 0 && was.Hash == e.Hash && !e.declares() {
			recalled.Entries[i].Output, recalled.Entries[i].Learned = was.Output, was.Learned
		}
	}
	return recalled
}
