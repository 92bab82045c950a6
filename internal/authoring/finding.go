package authoring

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
)

// finding is a diagnostic for an agent, which knows the tool's definition better than
// the lines of a file.
type finding struct {
	Severity string `json:"severity"` // error or warning
	Code     string `json:"code"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Tool     string `json:"tool,omitempty"`
	Node     string `json:"node,omitempty"`
	Path     string `json:"path,omitempty"`   // in the definition: nodes[2].transform.expr
	Source   string `json:"source,omitempty"` // the line of the file
	File     string `json:"file,omitempty"`   // when it is not the graph file
}

// findings are the diagnostics as they concern a tool of this name: all errors, for any
// of them keeps it from being saved, and the warnings about it. "" is for all.
func (v *view) findings(found config.Diagnostics, name string) []finding {
	root, _ := config.ParseData(v.path, v.src)
	lines := strings.Split(string(v.src), "\n")
	var told []finding
	for _, d := range found {
		f := finding{Severity: d.Severity.String(), Code: d.Code, Message: d.Message, Hint: d.Hint, Line: d.Pos.Line, Column: d.Pos.Column}
		if d.Pos.File != v.path {
			f.File = d.Pos.File
		} else if path := pathTo(root, d.Pos); len(path) > 2 && path[0] == "tools" {
			f.place(root, path)
			if 0 < d.Pos.Line && d.Pos.Line <= len(lines) {
				f.Source = strings.TrimSpace(lines[d.Pos.Line-1])
			}
		}
		if name == "" || d.Severity == config.Error || f.Tool == name {
			told = append(told, f)
		}
	}
	return told
}

// place tells the tool, the node and the path of a place in the list of tools.
func (f *finding) place(root *config.Data, path []any) {
	tool := root.At(path[:2]...)
	f.Tool, _ = tool.Get("name").Value().(string)
	if len(path) > 3 && path[2] == "nodes" {
		f.Node, _ = root.At(path[:4]...).Get("id").Value().(string)
	}
	var b strings.Builder
	for _, step := range path[2:] {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		}
	}
	f.Path = b.String()
}

// pathTo leads to the innermost part of the data in which a place lies.
func pathTo(d *config.Data, at config.Pos) []any {
	var path []any
	for d != nil && len(d.Items) > 0 {
		begins := func(i int) config.Pos {
			if d.Kind == config.KindObject {
				return d.Keys[i].Pos
			}
			return d.Items[i].Pos
		}
		i := len(d.Items) - 1
		for i >= 0 && before(at, begins(i)) {
			i--
		}
		if i < 0 {
			break
		}
		if d.Kind == config.KindObject {
			path = append(path, d.Keys[i].Value)
		} else {
			path = append(path, i)
		}
		d = d.Items[i]
	}
	return path
}

func before(a, b config.Pos) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}

// tell is findings as text, those in a definition by their path in it.
func (v *view) tell(found config.Diagnostics) string {
	var lines []string
	for _, f := range v.findings(found, "") {
		where := fmt.Sprintf("line %d, column %d", f.Line, f.Column)
		if f.File != "" {
			where = f.File + ", " + where
		}
		if f.Path != "" {
			where = fmt.Sprintf("tool %q, %s", f.Tool, f.Path)
		}
		line := fmt.Sprintf("- %s: %s", where, f.Message)
		if f.Hint != "" {
			line += "; " + f.Hint
		}
		lines = append(lines, line+" ["+f.Code+"]")
	}
	return strings.Join(slices.Compact(lines), "\n")
}
