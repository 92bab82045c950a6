package habit

import (
	"slices"
	"time"

	"toolgraph/expressions/value"
)

// Call is a call that an agent made, and its answer.
type Call struct {
	Server, Tool    string
	Args            value.Value // an object
	Result          value.Value // nil: it has none
	Failed          bool
	Asked, Answered int // moments of its job: what was answered at one is known to what is asked at a later one
	Time            time.Time
}

// Name is SERVER.TOOL.
func (c *Call) Name() string { return c.Server + "." + c.Tool }

// equal reports whether two calls ask for the same.
func (c *Call) equal(other *Call) bool {
	return c.Server == other.Server && c.Tool == other.Tool && value.Same(c.Args, other.Args)
}

// Job is what an agent did once.
type Job struct {
	Calls []*Call
	Said  []string // texts of the user
}

// useful returns the calls of a job that a tool has to make, and a line for each of those that are left out: the ones
// that failed, and the ones that asked for the same as an earlier one and were answered the same.
func (j Job) useful() (calls []*Call, left []string) {
	for _, c := range j.Calls {
		again := slices.ContainsFunc(calls, func(o *Call) bool { return o.equal(c) && value.Same(o.Result, c.Result) })
		switch {
		case c.Failed:
			left = append(left, c.Name()+", which failed")
		case again:
			left = append(left, c.Name()+", which was asked for the same again")
		default:
			calls = append(calls, c)
		}
	}
	return calls, left
}

// member returns a member of an object; nil when there is none.
func member(v value.Value, key string) value.Value {
	if object, isObject := value.ObjectOf(v); isObject {
		found, _ := object.Get(key)
		return found
	}
	return nil
}
