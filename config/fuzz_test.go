package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"toolgraph/internal/base/cost"
)

// FuzzParse holds that no bytes harm Parse, that what it finds has a place in the file
// and a code, and that a file with errors is never returned as a good one.
func FuzzParse(f *testing.F) {
	paths, err := filepath.Glob("../examples/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(shared))
	f.Add([]byte(withNode("mcp", `server: s, tool: u, forEach: {items: $.x, maxParallel: 8}, timeoutMs: 5, retry: {attempts: 3, backoff: 1.5, codes: [timeout], until: $result},
        onError: {codes: [], value: [{expr: $failure}], next: exit}, effect: read`)))
	f.Add([]byte(withNode("parallel", "branches: {a: &a {type: graph, tool: t, args: {x: $.y}, onError: {}}, b: *a, c: {<<: *a, id: 5, forEach: }}")))
	f.Add([]byte(withArgs("{x: {expr: a, b: c}, y: 0755, z: &a [1_0, !t x], <<: *a}")))
	f.Add([]byte(withEnv("${A} ${B:-c} $${D} ${E:?f} ${")))
	f.Fuzz(func(t *testing.T, data []byte) {
		var file *File
		var err error
		cost.Below(t, 4<<20+2000*uint64(len(data)), func() {
			file, err = Parse("g.yaml", data, Options{LookupEnv: environment("A", "some-secret-value")})
		})
		var found Diagnostics
		switch {
		case err == nil:
			found = file.Warnings
			if found.Err() != nil {
				t.Fatalf("errors among the warnings: %v", found)
			}
		case !errors.As(err, &found):
			t.Fatalf("the error is %T: %v", err, err)
		case found.Err() == nil:
			t.Fatalf("an error without errors: %v", found)
		}
		for i, d := range found {
			if d.Pos.Line < 1 && d.Code != "file-too-large" || d.Code == "" || d.Message == "" {
				t.Fatalf("finding %#v", d)
			}
			if i > 0 && d.Pos.Line < found[i-1].Pos.Line {
				t.Fatalf("not in order: %v", found)
			}
		}
	})
}

func TestExamplesLoad(t *testing.T) {
	paths, err := filepath.Glob("../examples/[0-9]*-*[a-z].yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if match, _ := filepath.Match("*.test.yaml", filepath.Base(path)); match {
			continue
		}
		f, err := Load(path, Options{LookupEnv: environment("FIRECRAWL_API_KEY", "a-key-of-the-example")})
		if err != nil || len(f.Warnings) > 0 || f.Older {
			t.Errorf("%s: %v %v", path, err, f)
		}
	}
}
