package graphtest

import (
	"toolgraph/expressions/value"
	"toolgraph/internal/diff"
)

// tape plays the recorded calls of one case. It belongs to one run.
type tape struct {
	calls  []Recorded
	used   []bool
	keys   []string // of each call
	places places   // that are {name} in the keys
	steps  []RecordedStep
}

// tape is the calls that are for a case, or nil. A path of these places is the same call
// as its {name}, in the cassette and in the run.
func (c *Cassette) tape(test string, in places) *tape {
	if c == nil {
		return nil
	}
	var t *tape
	for _, run := range c.Runs {
		if run.Test != "" && run.Test != test {
			continue
		}
		if t == nil {
			t = &tape{places: in}
		}
		t.calls = append(t.calls, run.Calls...)
		if run.Test == test {
			t.steps = run.Steps
		}
	}
	if t == nil {
		return nil
	}
	t.used, t.keys = make([]bool, len(t.calls)), make([]string, len(t.calls))
	for i, call := range t.calls {
		t.keys[i] = t.key(call.Server, call.Tool, call.Args)
	}
	return t
}

// next is the first recorded call with these arguments that was not played yet, or
// nil.
func (t *tape) next(server, tool string, args value.Value) *Recorded {
	key := t.key(server, tool, args)
	for i := range t.calls {
		if !t.used[i] && t.keys[i] == key {
			t.used[i] = true
			return &t.calls[i]
		}
	}
	return nil
}

// near is how many calls with these arguments were recorded; when there is none, how
// many calls of the tool, and the one whose arguments differ least.
func (t *tape) near(server, tool string, args value.Value) (n int, nearest *Recorded) {
	if t == nil {
		return 0, nil
	}
	key, same, least := t.key(server, tool, args), 0, 0
	for i := range t.calls {
		call := &t.calls[i]
		if call.Server != server || call.Tool != tool {
			continue
		}
		n++
		if t.keys[i] == key {
			same++
		}
		if changes := len(diff.Values(t.places.empty(call.Args), t.places.empty(args))); nearest == nil || changes < least {
			nearest, least = call, changes
		}
	}
	if same > 0 {
		return same, nil
	}
	return n, nearest
}

// key is the same for the same call, in whatever order its arguments are written.
func (t *tape) key(server, tool string, args value.Value) string {
	src, err := value.Encode(value.FromPlain(value.Plain(t.places.empty(args))))
	if err != nil {
		src = []byte(err.Error())
	}
	return server + "\x00" + tool + "\x00" + string(src)
}
