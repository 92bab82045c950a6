package authoring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/project"
	"toolgraph/internal/project/lock"
	"toolgraph/internal/serving/toolset"
)

// testResult is the result of tests.
type testResult struct {
	Passed  int               `json:"passed"`
	Failed  int               `json:"failed"`
	Skipped int               `json:"skipped"`
	Items   []json.RawMessage `json:"items"`
}

// testGraphTool runs the tests that are given, or those of the file beside the graph
// file. Mocks and recordings answer calls, and mocks questions: no server is started, and no person
// asked. What calls do is known from the lock, as in toolgraph test.
func (r *request) testGraphTool(ctx context.Context) (any, error) {
	held, name := r.snapshot, r.Text("toolName")
	if r.Get("toolDefinition") != nil {
		var err error
		if held, name, err = r.subject(); err != nil {
			return nil, r.notStarted(err)
		}
	} else if name != "" {
		file, err := r.file()
		if err != nil {
			return nil, err
		}
		if toolOf(file, name) == nil {
			return nil, noTool(file, name)
		}
	}
	suite, err := r.suite(name)
	if err != nil {
		return nil, err
	}
	locked, _ := lock.Load(lock.Path(r.path)) // checkGraphTool reports its errors
	hints := func(server, tool string) lock.Hints {
		entry, _ := locked.Entry(server, tool)
		return entry.Hints()
	}
	report, err := suite.Run(ctx, graphtest.Options{
		ServersFile: r.servers,
		Repeatable: func(*project.Project) func(string, string, config.Effect) bool {
			return func(server, tool string, effect config.Effect) bool { return hints(server, tool).Repeatable(effect) }
		},
		Effects: func(*project.Project) func(context.Context, string, string) config.Effect {
			return func(_ context.Context, server, tool string) config.Effect { return hints(server, tool).Effect() }
		},
		Load: func(ctx context.Context, _ string, opts config.Options) (*project.Project, error) {
			return project.Parse(ctx, held.path, held.src, opts)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("no test was run: %w", err)
	}
	out := testResult{Items: []json.RawMessage{}}
	for _, result := range report.Results {
		if name != "" && result.Case.Tool.Value != name {
			continue
		}
		if err := out.add(result); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// suite returns the tests that are given, or those beside the graph file.
func (r *request) suite(name string) (*graphtest.Suite, error) {
	tests, given := r.Get("tests").([]any)
	if !given {
		path := strings.TrimSuffix(r.path, filepath.Ext(r.path)) + config.TestEnding
		suite, err := graphtest.Load(path, graphtest.WithGraph(r.path))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("no tests: the file %s does not exist; give tests as an argument, or ask the user to write that file", path)
		}
		return suite, err
	}
	list := DataOf(tests)
	for i, test := range list.Items {
		if cassette, _ := test.Get("cassette").Value().(string); cassette != "" && !filepath.IsLocal(cassette) {
			return nil, fmt.Errorf("the tests cannot be run: the cassette %q is not in the folder of the graph file, expected a path within it", cassette)
		}
		if test.Kind == config.KindObject && test.Get("tool") == nil && name != "" {
			test = test.With("tool", &config.Data{Scalar: name})
		}
		if test.Kind == config.KindObject && test.Get("name") == nil {
			test = test.With("name", &config.Data{Scalar: fmt.Sprintf("test %d", i+1)})
		}
		list.Items[i] = test
	}
	file := (&config.Data{Kind: config.KindObject}).With("tests", list)
	if mocks := r.Get("mocks"); mocks != nil {
		file = file.With("mocks", DataOf(mocks))
	}
	path := filepath.Join(filepath.Dir(r.path), "given.test.yaml")
	suite, err := graphtest.Parse(path, config.EncodeData(file), graphtest.WithGraph(r.path))
	var found config.Diagnostics
	if errors.As(err, &found) { // without places, which are in no file
		var lines []string
		for _, d := range found {
			if d.Hint != "" {
				d.Message += "; " + d.Hint
			}
			lines = append(lines, d.Message)
		}
		return nil, fmt.Errorf("the tests cannot be run: %s", strings.Join(lines, "\n"))
	}
	return suite, err
}

// add counts a result and appends it, without its details when it is too large.
func (t *testResult) add(r *graphtest.Result) error {
	switch r.Status {
	case graphtest.Passed:
		t.Passed++
	case graphtest.Failed:
		t.Failed++
	case graphtest.Skipped:
		t.Skipped++
	}
	raw, err := r.MarshalJSON()
	if err == nil && len(raw) > mostOutput {
		raw, err = toolset.JSON(struct {
			Test   string           `json:"test"`
			Status graphtest.Status `json:"status"`
			Note   string           `json:"note"`
		}{r.Case.Name, r.Status, fmt.Sprintf("the result has %d bytes of JSON, too many to show; toolgraph test prints all of it", len(raw))})
	}
	t.Items = append(t.Items, raw)
	return err
}
