package graphtest

import (
	"os/exec"
	"regexp"
	"time"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// Case is one test: a call of a tool and what is expected of it.
type Case struct {
	Pos      config.Pos
	Name     string // of an item of cases: that of its test, a slash, and its own
	Of       string // the name of the test whose case it is; "" when it is a test itself
	Key      string // its own name among the cases of that test
	Tool     config.Text
	Args     value.Value       // an Object
	Env      map[string]string // for the ${VAR} of the graph file; and what a program is given that runs the case
	Needs    []string          // programs without which the case cannot run on servers
	Mocks    []*Mock           // before those of the file
	Cassette string            // path of a cassette of its own, or ""
	Limits   Limits
	Expect   Expect
}

// Limits are what a case changes in the limits of its graph; zero changes nothing.
type Limits struct {
	MaxNodeExecutions  int
	MaxExecutionTime   time.Duration
	MaxNodeOutputBytes int
	MaxHistoryBytes    int
}

// over is the limits with what the case changes.
func (l Limits) over(limits config.Limits) config.Limits {
	set(&limits.MaxNodeExecutions, l.MaxNodeExecutions)
	set(&limits.MaxExecutionTime, l.MaxExecutionTime)
	set(&limits.MaxNodeOutputBytes, l.MaxNodeOutputBytes)
	set(&limits.MaxHistoryBytes, l.MaxHistoryBytes)
	return limits
}

func set[T int | time.Duration](limit *T, to T) {
	if to != 0 {
		*limit = to
	}
}

// chosen reports whether a case is one of those that a name, or that of its test, selects.
func (c *Case) chosen(only *regexp.Regexp) bool {
	return only == nil || only.MatchString(c.Name) || c.Of != "" && only.MatchString(c.Of)
}

// Missing is the first program that the case needs and that is not on PATH, or "".
func (c *Case) Missing() string {
	for _, program := range c.Needs {
		if _, err := exec.LookPath(program); err != nil {
			return program
		}
	}
	return ""
}
