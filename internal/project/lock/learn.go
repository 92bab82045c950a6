package lock

import (
	"iter"
	"slices"

	"toolgraph/expressions/shape"
	"toolgraph/expressions/value"
)

// Answer is a recorded answer of a tool: the value of a call that succeeded.
type Answer struct {
	Server, Tool string
	Value        value.Value // nil is nothing
}

// Learn returns the lock with an outputSchema for each tool that declares none and has
// answers: the schema of all its answers together. A tool without answers keeps the schema
// that was learned before. A tool that has answered with nothing gets none, since no
// schema allows that.
func (l *Lock) Learn(answers iter.Seq[Answer]) *Lock {
	learned := l.copied()
	type sum struct {
		shape   shape.Shape
		count   int
		nothing bool // one answer is nothing
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
		if stored := storable(s.shape.Schema(), nil); stored != nil {
			learned.Entries[i].Output, learned.Entries[i].Learned = stored, s.count
		}
	}
	return learned
}

// declares reports whether the tool itself declares an outputSchema.
func (e Entry) declares() bool {
	return e.Learned == 0 && (e.Output != nil || slices.Contains(e.Omitted, outputSchema))
}

// Recall returns the lock with the schemas that an older one had learned for tools that are
// the same and still declare none.
func (l *Lock) Recall(older *Lock) *Lock {
	recalled := l.copied()
	for i, e := range recalled.Entries {
		was, known := older.Entry(e.Server, e.Tool)
		if known && was.Learned > 0 && was.Hash == e.Hash && !e.declares() {
			recalled.Entries[i].Output, recalled.Entries[i].Learned = was.Output, was.Learned
		}
	}
	return recalled
}
