package authoring

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions"
)

// The bounds on what is told of a run: an agent's context is small.
const (
	mostOutput  = 64 << 10 // bytes of one output's JSON
	mostOutputs = 1 << 20  // of all outputs together, and of one result
	mostShown   = 2 << 10  // of one that is cut
	mostSteps   = 1000     // the first half and the last half of them
)

// step is a record of a run, its output perhaps cut.
type step struct{ execution.Record }

// cutOutput stands for an output that is not told whole.
type cutOutput struct {
	Note      string `json:"note"`
	Bytes     int    `json:"bytes"`
	Beginning string `json:"beginning"` // of its JSON
}

// stepsOf is a history within bounds, and a note when something was left out.
func stepsOf(history []execution.Record, secrets *config.Secrets) (steps []step, note string) {
	steps = []step{}
	room := mostOutputs
	cut := 0
	told := history
	if len(history) > mostSteps {
		told = slices.Concat(history[:mostSteps/2], history[len(history)-mostSteps/2:])
	}
	for _, r := range told {
		raw, err := expressions.Encode(r.Output)
		if err == nil && r.Error == nil && (len(raw) > mostOutput || len(raw) > room && len(raw) > mostShown) {
			r.Output = expressions.FromPlain(cutText(secrets.RedactJSON(raw), len(raw))) // whole, for half a secret is not recognised
			cut++
		} else {
			room -= len(raw)
		}
		steps = append(steps, step{r})
	}
	var left, short string
	if len(told) < len(history) {
		left = fmt.Sprintf("the history has %d executions; the first and the last %d are told", len(history), mostSteps/2)
	}
	if cut > 0 {
		short = fmt.Sprintf("of %d outputs only the beginning is told", cut)
	}
	return steps, joined(left, short)
}

// joined is the notes that there are.
func joined(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(n string) bool { return n == "" }), "; ")
}

// whole is a result as it is told, and a note when that is its beginning alone.
func whole(v expressions.Value, secrets *config.Secrets) (told jsonValue, note string) {
	raw, err := expressions.Encode(v)
	if err != nil || len(raw) <= mostOutputs {
		return jsonValue{v}, ""
	}
	return jsonValue{expressions.FromPlain(cutText(secrets.RedactJSON(raw), len(raw)))},
		fmt.Sprintf("the value has %d bytes of JSON, and only its beginning is told", len(raw))
}

// cutText is the beginning of an output's JSON of so many bytes.
func cutText(raw []byte, size int) cutOutput {
	text := []rune(string(raw[:min(len(raw), 4*mostShown)]))
	return cutOutput{
		Note:  fmt.Sprintf("this output has %d bytes of JSON and is cut here alone: expressions saw all of it", size),
		Bytes: size, Beginning: string(text[:min(len(text), mostShown)]),
	}
}
