package editor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"

	"toolgraph/config"
)

// expressions are the characters of expressions in a file: of each line from 0 the columns in UTF-16.
type expressions struct {
	Path  string        `json:"path"`
	Text  string        `json:"text"`
	Lines map[int][]int `json:"lines"`

	columns [][]int // of each line, the column of each rune
}

// expressionsOf returns the expressions of the graph files below the directories.
func expressionsOf(t *testing.T, patterns ...string) (all []*expressions) {
	t.Helper()
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no files %s: %v", pattern, err)
		}
		for _, path := range paths {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file, _ := config.Parse(path, src, config.Options{LookupEnv: func(string) (string, bool) { return "x", true }})
			if file == nil || file.Older {
				continue // a test file, or an older form, which has expressions in other places
			}
			e := &expressions{Path: path, Text: string(src), Lines: map[int][]int{}}
			for line := range strings.SplitSeq(e.Text, "\n") {
				var columns []int
				for column := range line {
					columns = append(columns, len(utf16.Encode([]rune(line[:column]))))
				}
				e.columns = append(e.columns, columns)
			}
			for _, tool := range file.Tools {
				for _, n := range tool.Nodes {
					e.node(n)
				}
			}
			all = append(all, e)
		}
	}
	return all
}

func (e *expressions) node(n *config.Node) {
	e.text(n.Expr)
	e.data(n.Args, false)
	e.data(n.Message, false)
	if n.ForEach != nil {
		e.text(n.ForEach.Items)
	}
	if n.Retry != nil {
		e.text(n.Retry.When)
		e.text(n.Retry.Until)
	}
	if n.OnError != nil {
		e.data(n.OnError.Value, false)
	}
	for _, c := range n.Conditions {
		e.data(c.Rule, true)
	}
	for _, b := range n.Branches {
		e.node(b)
	}
	e.text(n.Return)
	if s := n.Step; s != nil {
		for _, text := range []config.Text{s.If, s.Each, s.Key, s.Until} {
			e.text(text)
		}
		if s.Repeat != nil {
			e.text(s.Repeat.Until)
		}
	}
	for _, s := range n.Steps {
		e.node(s)
	}
}

// data adds the expressions of args and of values; in a rule they are the texts of var.
func (e *expressions) data(d *config.Data, rule bool) {
	if d == nil {
		return
	}
	if d.Kind == config.KindExpression {
		e.text(d.Expr)
	}
	for i, item := range d.Items {
		if rule && d.Kind == config.KindObject && d.Keys[i].Value == "var" {
			e.text(item.Text)
		}
		e.data(item, rule)
	}
}

func (e *expressions) text(text config.Text) {
	places := text.Places()
	for offset, r := range text.Value {
		if pos := places.At(offset); pos.IsValid() && !unicode.IsSpace(r) {
			e.Lines[pos.Line-1] = append(e.Lines[pos.Line-1], e.columns[pos.Line-1][pos.Column-1])
		}
	}
}
