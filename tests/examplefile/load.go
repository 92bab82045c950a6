package examplefile

import (
	"fmt"
	"os"

	"toolgraph/internal/authoring/graphtest"
)

// Load reads the test files of a directory: all cases but those with mocks, which stand for what
// a server does not do, in the order of the files. Every file has a graph beside it.
func Load(dir string) ([]Case, error) {
	files, err := graphtest.Find(dir)
	if err != nil {
		return nil, err
	}
	var all []Case
	for _, path := range files {
		suite, err := graphtest.Load(path)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(suite.Graph); err != nil {
			return nil, fmt.Errorf("%s belongs to no graph: %w", path, err)
		}
		for _, c := range suite.Cases {
			if len(c.Mocks)+len(suite.Mocks) == 0 {
				all = append(all, newCase(suite.Graph, c))
			}
		}
	}
	return all, nil
}
