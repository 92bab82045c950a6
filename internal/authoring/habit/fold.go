package habit

import "strings"

// unit is a call, the same call several times, or units that are repeated together.
type unit struct {
	name  string // of the tool; of a repetition those of its units
	calls []*Call
	turns [][]unit
}

// The longest pattern that is folded, in units, and how deep repetitions are in each other.
const (
	longestPattern = 4
	deepestFold    = 3
)

// folding says how much of calls is folded.
type folding int

const (
	patterns   folding = iota // neighbours, and then patterns that are repeated
	neighbours                // calls of one tool, one after the other
	single                    // nothing
)

// fold returns the units of calls.
func fold(calls []*Call, how folding) []unit {
	var units []unit
	for _, c := range calls {
		if last := len(units) - 1; how != single && last >= 0 && units[last].name == c.Name() {
			units[last].calls = append(units[last].calls, c)
			continue
		}
		units = append(units, unit{name: c.Name(), calls: []*Call{c}})
	}
	for level := 1; how == patterns && level < deepestFold; level++ {
		folded := foldPatterns(units)
		if len(folded) == len(units) {
			break
		}
		units = folded
	}
	return units
}

// foldPatterns replaces the repetitions of patterns of two units and more.
func foldPatterns(units []unit) (out []unit) {
	for at := 0; at < len(units); {
		width, times := patternAt(units[at:])
		if times < 2 {
			out = append(out, units[at])
			at++
			continue
		}
		var names []string
		for _, u := range units[at : at+width] {
			names = append(names, u.name)
		}
		loop := unit{name: "(" + strings.Join(names, " ") + ")"}
		for range times {
			loop.turns = append(loop.turns, units[at:at+width])
			at += width
		}
		out = append(out, loop)
	}
	return out
}

// patternAt returns the width of the pattern that units begin with and covers the most of them, and how often it is
// there one after the other.
func patternAt(units []unit) (width, times int) {
	for w := 2; w <= min(longestPattern, len(units)/2); w++ {
		n := 1
		for (n+1)*w <= len(units) && sameNames(units[:w], units[n*w:(n+1)*w]) {
			n++
		}
		if n >= 2 && n*w > width*times {
			width, times = w, n
		}
	}
	return width, times
}

// sameNames reports whether units have the same names at the same places.
func sameNames(a, b []unit) bool {
	for i := range a {
		if a[i].name != b[i].name {
			return false
		}
	}
	return true
}
