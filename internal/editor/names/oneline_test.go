package names_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/internal/editor/names"
)

// A file of one line has as many places in it as any other; looking each up must not read the line again.
func TestFileOfOneLine(t *testing.T) {
	const nodes = 4000
	var b strings.Builder
	b.WriteString(`{"version": "1.0", "server": {"name": "x", "version": "1.0.0"}, "tools": [{"name": "t", "nodes": [`)
	for i := range nodes {
		fmt.Fprintf(&b, `{"id": "n%d", "type": "transform", "transform": {"expr": "$.n%d & 'é'"}, "next": "n%d"}, `, i, max(i-1, 0), i+1)
	}
	b.WriteString(`{"id": "exit", "type": "exit"}]}]}`)
	src := []byte(b.String())
	done := make(chan [3]int, 1)
	go func() {
		symbols, _ := names.Symbols("/x.yaml", src)
		tokens := names.Tokens(names.Read([]names.Source{{Path: "/x.yaml", Text: src}}), "/x.yaml", src)
		done <- [3]int{len(symbols[0].Children), len(tokens), len(config.Tidy("/x.yaml", src))}
	}()
	select {
	case got := <-done:
		if want := [3]int{nodes + 1, nodes*7 + 2, 1}; got != want {
			t.Errorf("nodes, tokens and edits are %v, expected %v", got, want)
		}
	case <-time.After(60 * time.Second):
		t.Fatal("a file of one line takes more than 60 s")
	}
}
