package habit

import "slices"

// shape is what the units of all jobs have in common at a place.
type shape struct {
	name  string
	call  *Call    // one of the calls; nil for a pattern
	body  []*shape // of a pattern
	loops bool     // it is not made exactly once in every job
}

// part is what one job has at the place of a shape.
type part struct {
	calls []*Call
	turns [][]part
}

// shapesOf returns the shapes of the units of one job.
func shapesOf(units []unit) (all []*shape) {
	for _, u := range units {
		if u.turns == nil {
			all = append(all, &shape{name: u.name, call: u.calls[0], loops: len(u.calls) > 1})
			continue
		}
		all = append(all, &shape{name: u.name, body: shapesOf(u.turns[0]), loops: true})
	}
	return all
}

// match returns the parts of calls that have the shapes, in order and to the end; false when they do not. A shape that is
// not made once in these calls is a loop from then on, where neighbours are folded.
func match(shapes []*shape, calls []*Call, how folding) ([]part, bool) {
	parts, rest, ok := matchFront(shapes, calls, how)
	return parts, ok && len(rest) == 0
}

// matchFront is match for shapes that more calls may follow: it returns the calls that are left. A call that is repeated
// takes all neighbours of its tool; a pattern goes on while another turn begins, and what follows the pattern does not.
func matchFront(shapes []*shape, calls []*Call, how folding) (parts []part, rest []*Call, ok bool) {
	for i, s := range shapes {
		p := part{}
		if s.body == nil {
			n := 0
			for n < len(calls) && calls[n].Name() == s.name && (n == 0 || how != single) {
				n++
			}
			p.calls, calls = calls[:n], calls[n:]
			if n == 0 && !s.loops {
				return nil, nil, false
			}
			s.loops = s.loops || n > 1
		}
		for s.body != nil {
			turn, after, is := matchFront(s.body, calls, how)
			if !is || len(after) == len(calls) || startsWith(shapes[i+1:], calls) && len(p.turns) > 0 && !startsWith(s.body, calls) {
				break
			}
			p.turns, calls = append(p.turns, turn), after
		}
		parts = append(parts, p)
	}
	return parts, calls, true
}

// startsWith reports whether the first call is that of the first shape.
func startsWith(shapes []*shape, calls []*Call) bool {
	if len(shapes) == 0 || len(calls) == 0 {
		return false
	}
	if shapes[0].body != nil {
		return startsWith(shapes[0].body, calls)
	}
	return calls[0].Name() == shapes[0].name
}

// common returns the shapes that the most jobs have, and the parts of each job; nil for those that do not have them.
func common(jobs [][]*Call, how folding) (shapes []*shape, parts [][]part) {
	most := 0
	for _, calls := range jobs {
		candidate := shapesOf(fold(calls, how))
		found := make([][]part, len(jobs))
		n := 0
		for range 2 { // what becomes a loop by one job lets others match
			n = 0
			for i, other := range jobs {
				p, ok := match(candidate, other, how)
				if found[i] = nil; ok {
					found[i] = p
					n++
				}
			}
		}
		if n > most || n == most && depth(candidate) > depth(shapes) {
			most, shapes, parts = n, candidate, found
		}
	}
	return shapes, parts
}

// depth is how deep repetitions are in each other.
func depth(shapes []*shape) int {
	deepest := 0
	for _, s := range shapes {
		if s.loops {
			deepest = max(deepest, 1+depth(s.body))
		}
	}
	return deepest
}

// unfolded returns the shapes with the loop at a place as single calls, when it has the same number in all jobs and that
// is small; else nil.
func unfolded(shapes []*shape, at int, jobs [][]part) ([]*shape, [][]part) {
	s, n := shapes[at], -1
	for _, parts := range jobs {
		if s.body != nil || n >= 0 && len(parts[at].calls) != n {
			return nil, nil
		}
		n = len(parts[at].calls)
	}
	if n > mostUnfolded {
		return nil, nil
	}
	single := make([]*shape, n)
	for i := range single {
		single[i] = &shape{name: s.name, call: s.call}
	}
	var all [][]part
	for _, parts := range jobs {
		apart := make([]part, n)
		for i, c := range parts[at].calls {
			apart[i] = part{calls: []*Call{c}}
		}
		all = append(all, slices.Concat(parts[:at], apart, parts[at+1:]))
	}
	return slices.Concat(shapes[:at], single, shapes[at+1:]), all
}

// mostUnfolded is how often a call is written one after the other where no list is found.
const mostUnfolded = 5
