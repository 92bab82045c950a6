package main

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"text/template"
)

//go:embed graphs/*.yaml.tmpl
var graphFiles embed.FS

// dialect is a form of the graph language: the key of a condition that names its
// target.
type dialect string

const (
	current dialect = "next"
	older   dialect = "target" // and "$…" strings in args are expressions
)

// graphTemplates are the measured graphs, written so that both forms come of one text.
var graphTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"quote": strconv.Quote,
	"count": func(n int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = i + 1
		}
		return out
	},
	"before": func(i int) int { return i - 1 },
	"after": func(i, last int, prefix, end string) string {
		if i == last {
			return end
		}
		return prefix + strconv.Itoa(i+1)
	},
	"expr": func(d dialect, source string) string {
		if d == older {
			return strconv.Quote(source)
		}
		return "{expr: " + strconv.Quote(source) + "}"
	},
	"default": func(d dialect, id string) string {
		if d == older {
			return "  - target: " + id
		}
		return "next: " + id
	},
}).ParseFS(graphFiles, "graphs/*.yaml.tmpl"))

// writeGraph puts a graph, named without its ending, into dir in the dialect and
// returns its path. upstream is the program that its mcp nodes call.
func writeGraph(dir, name string, d dialect, upstream string) (string, error) {
	path := filepath.Join(dir, name+"-"+string(d)+".yaml")
	var b bytes.Buffer
	data := struct {
		To       dialect
		Upstream string
	}{d, upstream}
	if err := graphTemplates.ExecuteTemplate(&b, name+".yaml.tmpl", data); err != nil {
		return "", fmt.Errorf("graph %s: %w", name, err)
	}
	return path, os.WriteFile(path, b.Bytes(), 0o644)
}
