package flow

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/schema"
	"toolgraph/graph"
)

// piece is a part of an expression in a text of the file.
type piece struct {
	text config.Text
	tree *jsonata.Tree // nil when there is none
}

// partAt returns the longest part of an expression that begins at a byte, or the shortest path around it; nil when
// there is none.
func partAt(tree *jsonata.Tree, at int) *jsonata.Tree {
	if tree == nil || at < tree.Offset || at >= tree.End {
		return nil
	}
	if tree.Kind == "path" || (tree.Kind == "call" || len(tree.Parts) == 0) && tree.Offset == at {
		return tree
	}
	for i := range tree.Parts {
		if found := partAt(&tree.Parts[i], at); found != nil {
			return found
		}
	}
	return nil
}

// guards give a part that may be missing another value. inRule: not null, which a rule takes for 0.
func (p piece) guards(inRule bool) (fixes []config.Fix) {
	if p.tree == nil || p.tree.End > len(p.text.Value) {
		return nil
	}
	source := p.text.Value[p.tree.Offset:p.tree.End]
	if p.tree.Kind == "conditional" || p.tree.Kind == "operator" {
		source = "(" + source + ")"
	}
	for _, instead := range []string{"null", `""`, "0", "[]", "{}"} {
		if instead == "null" && inRule {
			continue
		}
		fix := p.replace("Use "+instead+" when there is no value", "("+source+" ?? "+instead+")")
		fix.Sure = instead == "null"
		fixes = append(fixes, fix)
	}
	return fixes
}

// replace writes other source for the part.
func (p piece) replace(title, source string) config.Fix {
	return config.Replace(title, p.text, config.Replacement{From: p.tree.Offset, To: p.tree.End, Text: source})
}

// word writes the word that was meant for another one in the part; none for "".
func (p piece) word(of, meant string) config.Fix {
	if p.tree == nil || p.tree.End > len(p.text.Value) {
		return config.Fix{}
	}
	i := strings.Index(p.text.Value[p.tree.Offset:p.tree.End], of)
	if i < 0 {
		return config.Fix{}
	}
	from := p.tree.Offset + i
	return config.ReplaceWord(p.text, from, from+len(of), meant)
}

// existence replaces comparisons with null around a byte by tests whether there is a value.
func existence(text config.Text, tree *jsonata.Tree, at int) (fixes []config.Fix) {
	if at < tree.Offset || at >= tree.End {
		return nil
	}
	if tree.Kind == "operator" && len(tree.Parts) == 2 && (tree.Text == "=" || tree.Text == "!=") {
		for i := range tree.Parts {
			other := &tree.Parts[1-i]
			if other.Kind != "literal" || other.Text != "null" {
				continue
			}
			test := "$exists(" + text.Value[tree.Parts[i].Offset:tree.Parts[i].End] + ")"
			if tree.Text == "=" {
				test = "$not(" + test + ")"
			}
			fixes = append(fixes, piece{text, tree}.replace("Test whether it exists", test))
		}
	}
	for i := range tree.Parts {
		fixes = append(fixes, existence(text, &tree.Parts[i], at)...)
	}
	return fixes
}

// guardsOf are the guards of a part of an expression.
func guardsOf(e *graph.Expr, tree *jsonata.Tree) []config.Fix {
	return piece{e.Text, tree}.guards(false)
}

// wholeOf returns a whole expression as its part; one that does not compile has none.
func wholeOf(e *graph.Expr) piece { return piece{e.Text, e.Tree()} }

// adding returns the fix that adds a required argument, or a property of one, with a value that its schema names or
// one of its type. With no arguments yet, tool is the place of the called tool.
func (u *inputSchema) adding(d *config.Data, name string, property any, tool config.Pos) config.Fix {
	s, _ := property.(map[string]any)
	placeholder := "null"
	if sample, ok := schema.Sample(u.document(u.resolved(s)), 0); ok {
		if raw, err := json.Marshal(sample); err == nil {
			placeholder = string(raw)
		}
	}
	if data, err := config.ParseData("", []byte(placeholder)); err == nil && !bytes.ContainsAny([]byte(placeholder), "\n") {
		placeholder = config.Inline(data)
	}
	key := config.InFlow(name)
	title := "Add " + key + ": " + placeholder
	switch {
	case len(d.Keys) > 0:
		return config.AddKey(d.Pos, key, placeholder, d.Keys[0].Value).Titled(title)
	case d.Pos.IsValid():
		return config.SetValue(d.Pos, "{"+key+": "+placeholder+"}").Titled(title)
	}
	return config.AddKey(tool, "args", "{"+key+": "+placeholder+"}", "tool").Titled(title)
}

// keyOrValue returns the key at the end of a path into data, or the text of its value; not set for another value.
func keyOrValue(d *config.Data, path []string, isKey bool) config.Text {
	for i, step := range path {
		if isKey && i == len(path)-1 {
			if at := slices.IndexFunc(d.Keys, func(k config.Text) bool { return k.Value == step }); at >= 0 {
				return d.Keys[at]
			}
			return config.Text{}
		}
		if d = childOf(d, step); d == nil {
			return config.Text{}
		}
	}
	return d.Text
}
