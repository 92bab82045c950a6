package habit

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"toolgraph/config"
)

// View is a suggestion for people, pages and agents.
type View struct {
	Number     int       `json:"number"` // from 1: --take N
	Chain      []string  `json:"chain"`  // SERVER.TOOL, * after one that is repeated
	Times      int       `json:"times"`
	First      time.Time `json:"first,omitzero"`
	Last       time.Time `json:"last,omitzero"`
	Week       int       `json:"tokensAWeek"` // an estimate: of the answers that were read only to go on
	File       string    `json:"file,omitempty"`
	Effects    []string  `json:"effects"`         // what the calls do, each once; unknown where neither file nor lock says
	Tried      int       `json:"tried"`           // occurrences that the draft was made of
	Reproduces int       `json:"reproduces"`      // of these, those whose calls it makes
	Parts      []string  `json:"parts,omitempty"` // where it parts from the others
	Todos      []string  `json:"todos,omitempty"`
	Left       []string  `json:"leftOut,omitempty"`
	Arguments  []string  `json:"arguments,omitempty"`
	Name       string    `json:"name,omitempty"`  // of the tool in the draft
	Draft      string    `json:"draft,omitempty"` // the tool as YAML
	Tool       any       `json:"tool,omitempty"`  // the tool as a definition
	Why        string    `json:"why,omitempty"`   // why there is no draft
}

// Views describes suggestions, with the effects that the locks of their files have; projects may be nil.
func Views(all []Suggestion, projects *Projects) ([]View, error) {
	views := make([]View, 0, len(all))
	for i := range all {
		v, err := viewOf(&all[i], i+1, projects)
		if err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
}

// viewOf describes one suggestion; number is its place in the list.
func viewOf(s *Suggestion, number int, projects *Projects) (View, error) {
	v := View{Number: number, Chain: s.Chain, Times: len(s.Occurrences), First: s.First, Last: s.Last, Week: s.Week, File: s.File, Why: s.Why}
	d := s.Draft
	if d == nil {
		return v, nil
	}
	v.Effects = d.effects(s.File, projects)
	v.Tried, v.Reproduces, v.Left = len(d.Jobs), d.Reproduced(), d.Left
	for _, err := range d.Parts {
		if err != nil {
			v.Parts = append(v.Parts, d.Secrets.texts.Redact(err.Error()))
		}
	}
	for _, t := range d.Todos {
		v.Todos = append(v.Todos, t.String())
	}
	for _, in := range d.Inputs {
		v.Arguments = append(v.Arguments, in.Name)
	}
	v.Name = s.Name()
	tool := d.Tool(v.Name, "")
	src, err := config.Format("the draft", tool, d.Notes)
	v.Draft, v.Tool = string(src), json.RawMessage(tool.JSON())
	return v, err
}

// Name is a name for the tool of a suggestion: that of the last tool, after the first one's.
func (s *Suggestion) Name() string {
	tools := toolsOf(s.Chain)
	first, last := tools[0], tools[len(tools)-1]
	_, from, _ := strings.Cut(first, ".")
	_, to, _ := strings.Cut(last, ".")
	return Identifier(from+"_"+to, "habit")
}

// effects returns what the calls of a draft do, each effect once.
func (d *Draft) effects(file string, projects *Projects) (all []string) {
	found := map[config.Effect]bool{}
	for _, job := range d.Jobs {
		for _, c := range job.Calls {
			known := config.Effect("")
			if projects != nil && file != "" {
				known = projects.effect(file, c.Server, c.Tool)
			}
			found[known] = true
		}
	}
	for _, e := range []config.Effect{config.ReadEffect, config.WriteEffect, config.DestroyEffect, ""} {
		if found[e] {
			all = append(all, cmp.Or(string(e), "unknown"))
		}
	}
	return all
}
