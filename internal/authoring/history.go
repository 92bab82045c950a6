package authoring

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
)

// The bounds on what is shown of a run: an agent's context is small.
const (
	shortOutput = 200      // bytes of one output's JSON, unless more are asked for
	shortSteps  = 100      // the first half and the last half of them, unless more are asked for
	mostOutput  = 64 << 10 // bytes of one output's JSON
	mostOutputs = 1 << 20  // of all outputs together, and of one result
	mostShown   = 2 << 10  // of a result that is truncated, and of an argument in a log
	mostSteps   = 1000     // the first half and the last half of them
)

// step is a record of a run, its output perhaps truncated.
type step struct{ execution.Record }

// cutOutput stands for an output that is not shown whole.
type cutOutput struct {
	Truncated bool   `json:"truncated"` // true
	Bytes     int    `json:"bytes"`
	Beginning string `json:"beginning"` // of its JSON
}

// detail is how much of a history is shown.
type detail struct {
	steps int // the first half and the last half of them
	bytes int // of each output's JSON
}

// detailOf is what the argument valueBytes asks for: without it, a little of a few steps.
func detailOf(a arguments) detail {
	if a.get("valueBytes") == nil {
		return detail{shortSteps, shortOutput}
	}
	return detail{mostSteps, a.number("valueBytes", shortOutput)}
}

// ends are the first and the last of a list, at most so many, and whether some are left out.
func ends[T any](all []T, most int) ([]T, bool) {
	if len(all) <= most {
		return all, false
	}
	return slices.Concat(all[:most/2], all[len(all)-most/2:]), true
}

// stepsOf is a history within bounds, and a note when something was left out.
func stepsOf(history []execution.Record, how detail, secrets *config.Secrets) (steps []step, note string) {
	steps = []step{}
	room := mostOutputs
	cut := 0
	shown, short := ends(history, how.steps)
	for _, r := range shown {
		limit := min(how.bytes, max(room, shortOutput))
		raw, err := value.Encode(r.Output)
		switch {
		case r.Error != nil:
			r.Error = cutFailure(r.Error, limit, secrets)
		case err == nil && len(raw) > limit:
			r.Output = value.FromPlain(cutText(secrets.RedactJSON(raw), len(raw), limit)) // whole, for half a secret is not recognised
			room -= limit
			cut++
		default:
			room -= len(raw)
		}
		steps = append(steps, step{r})
	}
	var left, text string
	if short {
		left = fmt.Sprintf("executionHistory has the first and the last %d of %d executions", how.steps/2, len(history))
	}
	if cut > 0 {
		text = fmt.Sprintf("outputs truncated: %d (expressions saw them whole)", cut)
	}
	return steps, joined(left, text)
}

// cutFailure is a failure of a step that has no more to say than so many bytes: the
// error of the run has all of it.
func cutFailure(f *execution.Failure, most int, secrets *config.Secrets) *execution.Failure {
	if len(f.Message)+len(f.Structured) <= most {
		return f
	}
	short := *f
	short.Message, short.Structured = journal.CutText(secrets.Redact(f.Message), most)+"…", nil
	return &short
}

// joined is the notes that there are.
func joined(notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(n string) bool { return n == "" }), "; ")
}

// whole is a result as it is shown, and a note when that is its beginning alone.
func whole(v value.Value, secrets *config.Secrets) (told jsonValue, note string) {
	raw, err := value.Encode(v)
	if err != nil || len(raw) <= mostOutputs {
		return jsonValue{v}, ""
	}
	return jsonValue{value.FromPlain(cutText(secrets.RedactJSON(raw), len(raw), mostShown))},
		fmt.Sprintf("the value has %d bytes of JSON, and only its beginning is shown", len(raw))
}

// cutText is the beginning of an output's JSON of so many bytes.
func cutText(raw []byte, size, most int) cutOutput {
	return cutOutput{Truncated: true, Bytes: size, Beginning: strings.ToValidUTF8(string(journal.CutText(raw, most)), "\uFFFD")}
}
