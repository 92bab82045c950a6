package config

import (
	"encoding/json"
	"slices"
	"strconv"
)

// DecodePlan decodes a plan, an object with steps and perhaps return, as the nodes of a tool that is like
// another. Places of the data are those of the findings. The servers and tools of the file are those that steps may
// name. Safe for concurrent use.
func DecodePlan(f *File, like *Tool, plan *Data) (*Tool, Diagnostics) {
	d := &decoder{path: f.Path, file: &File{Path: f.Path, Servers: f.Servers, Tools: f.Tools, Secrets: f.Secrets}, inPlan: true}
	t := *like
	t.Nodes = nil
	fs := d.open(itemOf(plan), planStepsForm(), "the plan")
	if fs == nil {
		return nil, d.found
	}
	if fs.get("steps") == nil {
		d.found.Add(plan.Pos, "missing-field", "the plan has no steps, expected a list of them", "add steps: [{id: NAME, call: SERVER.TOOL}]")
		return nil, d.found
	}
	d.steps(&t, fs)
	known := map[string]bool{}
	for _, tool := range f.Tools {
		known[tool.Name.Value] = true
	}
	for _, n := range t.Nodes {
		n.EachStep(func(s *Node) {
			if s.Step.Call.Value != "" {
				d.resolveCall(s, known)
			}
		})
	}
	return &t, d.found
}

// planStepsForm has the keys of a plan.
var planStepsForm = lazyForm(func() *form {
	return &form{name: "a plan", keys: []key{
		*toolForm().find("steps"), *toolForm().find("return"), {name: "description", value: textValue()}, {name: "dryRun", value: flag()},
	}}
})

// PlanTexts returns the keys of each kind of step that a plan can have, as the documentation has them.
func PlanTexts() map[string][]Described {
	all := map[string][]Described{}
	for _, kind := range stepKinds {
		if kind == "ask" {
			continue
		}
		for _, k := range stepForms()[kind].keys {
			if _, refused := notInPlans[k.name]; !refused {
				all[kind] = append(all[kind], Described{k.name, kind, k.doc})
			}
		}
	}
	return all
}

// notInPlans are the keys that steps of a plan do not have: they are the author's word, and here the author is the client.
var notInPlans = map[string]string{
	"effect":  "what a call does is known from its server",
	"confirm": "which calls the user is asked about is the file's to say",
	"onCrash": "a call whose outcome is not known is asked about",
	"cache":   "every call of a plan is made",
	"ask":     "for what only the user knows, ask before the plan",
}

// notOfPlan reports the keys of a step that plans do not have.
func (d *decoder) notOfPlan(fs *fields) {
	if !d.inPlan {
		return
	}
	for _, k := range fs.at.keys {
		if why, refused := notInPlans[k.Value]; refused {
			d.found.Add(k.Pos, "step-form", fs.who+" has "+k.Value+", which a step of a plan cannot have", "remove it: "+why)
		}
	}
	if codes := fs.get("retry").get("codes"); codes != nil {
		d.found.Add(codes.pos, "step-form", "retry of "+fs.who+" has codes, which a step of a plan cannot have", "remove codes: what can be repeated without harm is repeated")
	}
}

// itemOf returns data as an item. Texts are as if they were quoted, so that none is taken for something else.
func itemOf(data *Data) *item {
	it := &item{pos: data.Pos}
	switch data.Kind {
	case KindObject:
		it.kind, it.keys = itemMapping, slices.Clone(data.Keys)
		for i := range it.keys {
			it.keys[i].style = styleDouble
		}
	case KindArray:
		it.kind = itemList
	default:
		it.text = Text{Pos: data.Pos}
		switch v := data.Scalar.(type) {
		case string:
			it.text.Value, it.text.style = v, styleDouble
		case bool:
			it.text.Value = strconv.FormatBool(v)
		case float64:
			it.text.Value = strconv.FormatFloat(v, 'g', -1, 64)
		case json.Number:
			it.text.Value = v.String()
		default:
			it.text.Value = "null"
		}
	}
	for _, child := range data.Items {
		it.items = append(it.items, itemOf(child))
	}
	return it
}
