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

// Load reads the expectation files of a directory: all cases, in the order of the
// files. Every file has a graph beside it.
func Load(dir string) ([]Case, error) {
	const ending = ".test.yaml"
	tests, err := filepath.Glob(filepath.Join(dir, "*"+ending))
	if err != nil {
		return nil, err
	}
	var all []Case
	for _, test := range tests {
		graph := strings.TrimSuffix(test, ending) + ".yaml"
		if _, err := os.Stat(graph); err != nil {
			return nil, fmt.Errorf("%s belongs to no graph: %w", test, err)
		}
		src, err := os.ReadFile(test)
		if err != nil {
			return nil, err
		}
		cases, err := parse(test, src)
		if err != nil {
			return nil, err
		}
		for i := range cases {
			cases[i].Graph = graph
		}
		all = append(all, cases...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("found no example in %s, expected files *%s", dir, ending)
	}
	return all, nil
}

// parse reads one file. It has at least one case, and each has a name of its own, a
// tool and something expected.
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
