package config

import "slices"

// Described is what the table of the language says of a node type, or of a key of a mapping.
type Described struct {
	Name string `json:"name"`
	Of   string `json:"of,omitempty"` // whose key it is, in words; empty for a node type
	Doc  string `json:"description"`
}

// Language returns all node types, and the keys of all mappings of a graph file: what the JSON Schema and editors say of
// them. Keys of the older language are left out.
func Language() (all []Described) {
	for _, t := range NodeTypes {
		all = append(all, Described{Name: string(t), Doc: nodeForms()[t].doc})
	}
	forms := []*form{fileForm(), serverForm(), limitsForm(), toolForm(), argumentForm(), annotationsForm(), iconForm(), allowForm(), pipelineForm(), planForm(), passedForm(), allowedFlowForm()}
	for _, t := range NodeTypes {
		forms = append(forms, nodeForms()[t])
	}
	forms = append(forms, retryForm(), pollForm(), cacheForm(), forEachForm(), onErrorForm(), transformForm(), conditionForm(),
		upstreamForm(), execForm(), programForm(), oauthForm(), rateForm())
	for _, kind := range stepKinds {
		forms = append(forms, stepForms()[kind])
	}
	forms = append(forms, repeatForm(), stepAskForm())
	for _, f := range forms {
		for _, k := range f.keys {
			if d := (Described{k.name, f.name, k.doc}); !k.older && !slices.Contains(all, d) {
				all = append(all, d)
			}
		}
	}
	return all
}

// Explain returns what the language says of a name: that of a node type, and all keys of the name.
func Explain(name string) []Described {
	return slices.DeleteFunc(Language(), func(d Described) bool { return d.Name != name })
}
