package flow

import (
	"cmp"
	"slices"
	"strings"
)

// fact is a leaf of a rule with its known outcome.
type fact struct {
	leaf  *term
	holds bool
}

// facts are known outcomes, sorted by key. They are never changed in place.
type facts []fact

func (fs facts) with(leaf *term, truth bool) facts {
	if leaf.reads.open {
		return fs
	}
	i, known := slices.BinarySearchFunc(fs, leaf.key, func(f fact, key string) int { return cmp.Compare(f.leaf.key, key) })
	if known {
		return fs
	}
	return slices.Insert(slices.Clone(fs), i, fact{leaf, truth})
}

// after returns the facts that still hold when a node has run: it drops those that read the
// node's output.
func (fs facts) after(node int) facts {
	stale := func(f fact) bool { return slices.Contains(f.leaf.reads.nodes, node) }
	if !slices.ContainsFunc(fs, stale) {
		return fs
	}
	return slices.DeleteFunc(slices.Clone(fs), stale)
}

func (fs facts) key() string {
	var b strings.Builder
	for _, f := range fs {
		if !f.holds {
			b.WriteByte('!')
		}
		b.WriteString(f.leaf.key + "\n")
	}
	return b.String()
}

// outcome says whether a rule holds.
type outcome int8

const (
	unknown outcome = iota
	yes
	no
)

func outcomeOf(truth bool) outcome {
	if truth {
		return yes
	}
	return no
}

func (o outcome) not() outcome {
	switch o {
	case yes:
		return no
	case no:
		return yes
	}
	return unknown
}

// decide returns the outcome of a rule under the facts.
func (fs facts) decide(t *term) outcome {
	switch t.op {
	case "not":
		return fs.decide(t.parts[0]).not()
	case "and", "or":
		stop := outcomeOf(t.op == "or")
		all := stop.not()
		for _, part := range t.parts {
			switch fs.decide(part) {
			case stop:
				return stop
			case unknown:
				all = unknown
			}
		}
		return all
	}
	if t.reads.open {
		return unknown
	}
	for _, f := range fs {
		if f.leaf.subject != t.subject {
			continue
		}
		if o := f.implies(t); o != unknown {
			return o
		}
	}
	return unknown
}

// assume returns the facts, and those that follow when the rule holds (truth) or does not.
func (fs facts) assume(t *term, truth bool) facts {
	switch t.op {
	case "not":
		return fs.assume(t.parts[0], !truth)
	case "and", "or":
		if truth == (t.op == "and") {
			for _, part := range t.parts {
				fs = fs.assume(part, truth)
			}
			return fs
		}
		// When the outcome of all parts but one is known, that one decides.
		var left []*term
		for _, part := range t.parts {
			if fs.decide(part) == unknown {
				left = append(left, part)
			}
		}
		if len(left) == 1 {
			return fs.assume(left[0], truth)
		}
		return fs
	}
	return fs.with(t, truth)
}

// implies returns the outcome of another leaf with the same subject.
func (f fact) implies(t *term) outcome {
	if f.leaf.key == t.key {
		return outcomeOf(f.holds)
	}
	switch {
	case f.leaf.op == "equal" && f.holds:
		return f.equals(t)
	case f.leaf.op == "bound" && t.op == "bound":
		return f.bounds(t)
	case f.leaf.op == "bound" && f.holds && t.op == "equal":
		if value, isNumber := t.constant.(float64); isNumber && !within(value, f.leaf) {
			return no
		}
	case f.leaf.op == "bound" && f.holds && t.op == "holds" && !within(0, f.leaf):
		return yes
	case f.leaf.op == "holds" && !f.holds && t.op == "equal" && t.constant == true:
		return no
	}
	return unknown
}

// equals returns the outcome of a leaf when its subject equals the fact's constant.
func (f fact) equals(t *term) outcome {
	switch value := f.leaf.constant.(type) {
	case bool:
		if t.op == "holds" {
			return outcomeOf(value)
		}
		if other, isBool := t.constant.(bool); t.op == "equal" && isBool {
			return outcomeOf(value == other)
		}
	case string:
		if other, isText := t.constant.(string); t.op == "equal" && isText {
			return outcomeOf(value == other)
		}
	case float64:
		other, isNumber := t.constant.(float64)
		switch {
		case isNumber && t.op == "equal":
			return outcomeOf(value == other)
		case isNumber && t.op == "bound":
			return outcomeOf(within(value, t))
		}
	}
	return unknown
}

func within(value float64, t *term) bool {
	limit, isNumber := t.constant.(float64)
	switch t.bound {
	case "<":
		return isNumber && value < limit
	case "<=":
		return isNumber && value <= limit
	case ">":
		return isNumber && value > limit
	}
	return isNumber && value >= limit
}

// bounds returns the outcome of a bound from that of another. A bound that fails says nothing
// about the opposite side: a value that is not a number fails both.
func (f fact) bounds(t *term) outcome {
	has, isNumber := f.leaf.constant.(float64)
	asks, isNumber2 := t.constant.(float64)
	if !isNumber || !isNumber2 {
		return unknown
	}
	sameSide := f.leaf.bound[0] == t.bound[0]
	tighter := has > asks // the fact's bound lies inside the other
	if f.leaf.bound[0] == '<' {
		tighter = has < asks
	}
	open := len(f.leaf.bound) == 1
	otherOpen := len(t.bound) == 1
	switch {
	case f.holds && sameSide && (tighter || has == asks && (open || !otherOpen)):
		return yes
	case f.holds && !sameSide && (tighter || has == asks && (open || otherOpen)):
		return no
	case !f.holds && sameSide && has != asks && !tighter:
		return no
	case !f.holds && sameSide && has == asks && (otherOpen || !open):
		return no
	}
	return unknown
}
