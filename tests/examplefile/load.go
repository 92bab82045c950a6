package examplefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"toolgraph/config"
)

// Load reads the expectation file at path. There is at least one case, and each has a
// name, a tool and something expected.
func Load(path string) ([]Case, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parse(path, src)
}

func parse(path string, src []byte) ([]Case, error) {
	data, err := config.ParseData(path, src)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data.JSON()))
	dec.DisallowUnknownFields()
	var file struct {
		Tests []Case `json:"tests"`
	}
	if err := dec.Decode(&file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(file.Tests) == 0 {
		return nil, fmt.Errorf("%s: found no tests, expected at least one", path)
	}
	seen := map[string]bool{}
	for i, c := range file.Tests {
		switch {
		case c.Name == "" || seen[c.Name]:
			return nil, fmt.Errorf("%s: test %d has the name %q, expected one of its own", path, i+1, c.Name)
		case c.Tool == "":
			return nil, fmt.Errorf("%s: test %q has no tool", path, c.Name)
		case c.Expect.empty():
			return nil, fmt.Errorf("%s: test %q expects nothing", path, c.Name)
		}
		seen[c.Name] = true
	}
	return file.Tests, nil
}

// Graphs are the graph files of a directory that have an expectation file beside
// them, by path, each with the path of that file.
func Graphs(dir string) (map[string]string, error) {
	const ending = ".test.yaml"
	tests, err := filepath.Glob(filepath.Join(dir, "*"+ending))
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, test := range tests {
		graph := strings.TrimSuffix(test, ending) + ".yaml"
		if _, err := os.Stat(graph); err != nil {
			return nil, fmt.Errorf("%s belongs to no graph: %w", test, err)
		}
		out[graph] = test
	}
	return out, nil
}
