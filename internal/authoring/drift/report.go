package drift

import (
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// Report is the result of a comparison. Secrets are redacted in all of it.
type Report struct {
	File        string        `json:"file"`
	Drift       []Finding     `json:"drift"`
	Notes       []Finding     `json:"notes"` // differences that do not reach a result
	Compared    []Compared    `json:"compared"`
	Skipped     []Skipped     `json:"skipped,omitempty"`
	NotCalled   []NotCalled   `json:"notCalled,omitempty"`
	Unreachable []Unreachable `json:"unreachable,omitempty"`
	Calls       int           `json:"calls"` // that were made
}

// Finding is a change of an upstream tool.
type Finding struct {
	Tool     string     `json:"tool"`     // of the file
	Episodes []string   `json:"episodes"` // in which it shows
	Step     string     `json:"step"`     // the address of the first call
	Node     string     `json:"node"`
	Pos      config.Pos `json:"pos,omitzero"`
	Calls    string     `json:"calls"`           // SERVER.TOOL
	Field    string     `json:"field,omitempty"` // of the answer, as .items[].size; arguments.NAME, annotations.NAME, tool; none: the answer itself
	What     string     `json:"what"`
	Was      string     `json:"was,omitempty"` // JSON, shortened
	Is       string     `json:"is,omitempty"`
	Effect   string     `json:"effect,omitempty"` // on the tool of the file; none for notes
	Lock     []string   `json:"lock,omitempty"`   // how the definition differs from the locked one
}

// Compared is how many episodes of a tool were compared.
type Compared struct {
	Tool     string `json:"tool"`
	Episodes int    `json:"episodes"`
}

// Skipped is a tool, or one of its episodes, that was not compared.
type Skipped struct {
	Tool    string `json:"tool"`
	Episode string `json:"episode,omitempty"`
	Why     string `json:"why"`
}

// NotCalled is a tool whose calls were compared by definition.
type NotCalled struct {
	Tool string `json:"tool"` // SERVER.TOOL
	Why  string `json:"why"`
}

// Unreachable is a server that did not answer.
type Unreachable struct {
	Server string `json:"server"`
	Why    string `json:"why"`
}

func (r *Report) compared(tool string) {
	for i := range r.Compared {
		if r.Compared[i].Tool == tool {
			r.Compared[i].Episodes++
			return
		}
	}
	r.Compared = append(r.Compared, Compared{tool, 1})
}

func (r *Report) notCalled(tool, why string) {
	if one := (NotCalled{tool, why}); !slices.Contains(r.NotCalled, one) {
		r.NotCalled = append(r.NotCalled, one)
	}
}

// Skip notes a tool of the file without an episode, or an episode that cannot be compared.
func (r *Report) Skip(s Skipped) { r.Skipped = append(r.Skipped, s) }

// add adds a finding, or an episode to one that is known.
func add(to *[]Finding, f Finding) {
	for i := range *to {
		known := &(*to)[i]
		if known.Tool == f.Tool && known.Node == f.Node && known.Calls == f.Calls && known.Field == f.Field && known.What == f.What {
			for _, e := range f.Episodes {
				if !slices.Contains(known.Episodes, e) {
					known.Episodes = append(known.Episodes, e)
				}
			}
			return
		}
	}
	*to = append(*to, f)
}

// shownBytes is how much of a value a finding has, in characters.
const shownBytes = 80

// text returns a value as a finding has it: JSON without secrets, shortened; "" for nothing.
func text(secrets *config.Secrets, v value.Value) string {
	if v == nil {
		return ""
	}
	src, err := value.Encode(v)
	if err != nil {
		return "…"
	}
	return wording.Truncate(wording.OneLine(string(secrets.RedactJSON(src))), shownBytes)
}
