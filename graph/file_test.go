package graph

import (
	"strings"
	"testing"
	"time"

	"toolgraph/config"
)

// The builders below make a config.File by hand. Node i of a tool stands on line
// 10*(i+1); what is in it stands on the lines after it.

func text(value string, line int) config.Text {
	return config.Text{Value: value, Pos: config.Pos{File: "g.yaml", Line: line, Column: 1}}
}

func at(line int) config.Pos { return config.Pos{File: "g.yaml", Line: line, Column: 1} }

func newFile(nodes ...*config.Node) *config.File {
	return &config.File{
		Path:    "g.yaml",
		Limits:  config.Limits{MaxNodeExecutions: 1000, MaxExecutionTime: 300 * time.Second},
		Servers: []*config.Upstream{{Name: text("files", 1)}, {Name: text("search", 2)}},
		Tools:   []*config.Tool{newTool("tool", nodes...)},
		Secrets: &config.Secrets{},
	}
}

func newTool(name string, nodes ...*config.Node) *config.Tool {
	for i, n := range nodes {
		line := 10 * (i + 1)
		n.Pos = at(line)
		n.ID.Pos, n.Next.Pos, n.Server.Pos, n.Tool.Pos, n.Expr.Pos = at(line), at(line+1), at(line+2), at(line+3), at(line+4)
		if n.Next.Value == "" {
			n.Next.Pos = config.Pos{}
		}
		for j := range n.Conditions {
			n.Conditions[j].Pos, n.Conditions[j].Next.Pos = at(line+5+j), at(line+5+j)
		}
	}
	return &config.Tool{Pos: at(5), Name: text(name, 5), Nodes: nodes}
}

func word(value string) config.Text { return config.Text{Value: value} }

func entryNode(id, next string) *config.Node {
	return &config.Node{ID: word(id), Type: config.EntryNode, Next: word(next)}
}

func exitNode(id string) *config.Node { return &config.Node{ID: word(id), Type: config.ExitNode} }

func transformNode(id, expr, next string) *config.Node {
	return &config.Node{ID: word(id), Type: config.TransformNode, Expr: word(expr), Next: word(next)}
}

func mcpNode(id, server, tool, next string, args *config.Data) *config.Node {
	return &config.Node{ID: word(id), Type: config.MCPNode, Server: word(server), Tool: word(tool), Next: word(next), Args: args}
}

func switchNode(id, next string, conditions ...config.Condition) *config.Node {
	return &config.Node{ID: word(id), Type: config.SwitchNode, Next: word(next), Conditions: conditions}
}

func when(rule *config.Data, next string) config.Condition {
	return config.Condition{Rule: rule, Next: word(next)}
}

// data makes Data of Go values: object, []any, expression, or a scalar.
func data(v any) *config.Data {
	d := &config.Data{Pos: at(90)}
	switch v := v.(type) {
	case object:
		d.Kind = config.KindObject
		for i := 0; i < len(v); i += 2 {
			key, _ := v[i].(string)
			d.Keys = append(d.Keys, text(key, 91))
			d.Items = append(d.Items, data(v[i+1]))
		}
	case []any:
		d.Kind = config.KindArray
		for _, item := range v {
			d.Items = append(d.Items, data(item))
		}
	case expression:
		d.Kind, d.Expr = config.KindExpression, text(string(v), 92)
	case string:
		d.Scalar, d.Text = v, text(v, 93)
	case int:
		d.Scalar = float64(v)
	default:
		d.Scalar = v
	}
	return d
}

type (
	object     []any // key, value, key, value …
	expression string
)

// over is the rule {op: [{var: path}, limit]}.
func over(op, path string, limit any) *config.Data {
	return data(object{op, []any{object{"var", path}, limit}})
}

func mustBuild(t *testing.T, f *config.File, opts ...Option) []*Graph {
	t.Helper()
	graphs, found, _ := Build(t.Context(), f, opts...)
	if err := found.Err(); err != nil {
		t.Fatalf("build: %v", err)
	}
	return graphs
}

// findings are the diagnostics as "line severity code" lines.
func wantFindings(t *testing.T, f *config.File, want ...string) config.Diagnostics {
	t.Helper()
	graphs, found, _ := Build(t.Context(), f)
	found = otherThanSwitchToExit(found)
	var got []string
	for _, d := range found {
		got = append(got, d.Severity.String()+" "+d.Code+" "+d.Pos.String())
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("findings:\n%s\nwant:\n%s\nin full:\n%v", strings.Join(got, "\n"), strings.Join(want, "\n"), found)
	}
	if found.Err() == nil && len(graphs) != len(f.Tools) {
		t.Fatalf("graphs %v with error %v", graphs, found.Err())
	}
	return found
}

// otherThanSwitchToExit leaves out a warning that most small graphs of tests deserve.
func otherThanSwitchToExit(found config.Diagnostics) config.Diagnostics {
	var others config.Diagnostics
	for _, d := range found {
		if d.Code != "switch-to-exit" {
			others = append(others, d)
		}
	}
	return others
}

func TestSwitchToExit(t *testing.T) {
	f := newFile(entryNode("e", "s"), switchNode("s", "x", when(over(">", "e.n", 1), "x")), exitNode("x"))
	_, found, _ := Build(t.Context(), f)
	if len(found) != 1 || found[0].Code != "switch-to-exit" || found[0].Severity != config.Warning {
		t.Errorf("got %v", found)
	}
}
