package cli

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/internal/graphtest"
	"toolgraph/internal/lock"
	"toolgraph/internal/project"
)

// learn is the lock with what recorded answers tell.
func learn(l *lock.Lock, p *project.Project) (*lock.Lock, error) {
	answers, err := cassetteAnswers(p.File.Path)
	if err != nil {
		return nil, err
	}
	return l.Learn(slices.Values(answers)), nil
}

// cassetteAnswers are the answers in the cassettes of a graph file's tests.
func cassetteAnswers(graphFile string) ([]lock.Answer, error) {
	var answers []lock.Answer
	paths, err := cassettesOf(graphFile)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		recorded, err := graphtest.LoadCassette(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, r := range recorded {
			if !r.Failed {
				answers = append(answers, lock.Answer{Server: r.Server, Tool: r.Tool, Value: r.Result})
			}
		}
	}
	return answers, nil
}

// cassettesOf are the paths of the cassettes of a graph file's tests, each once, whether
// they are there or not.
func cassettesOf(graphFile string) ([]string, error) {
	tests := strings.TrimSuffix(graphFile, filepath.Ext(graphFile)) + ".test.yaml"
	suite, err := graphtest.Load(tests)
	if errors.Is(err, fs.ErrNotExist) {
		suite = &graphtest.Suite{Path: tests}
	} else if err != nil {
		return nil, err
	}
	paths := []string{suite.Cassette()}
	for _, c := range suite.Cases {
		if c.Cassette != "" && !slices.Contains(paths, c.Cassette) {
			paths = append(paths, c.Cassette)
		}
	}
	return paths, nil
}
