package authoring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"toolgraph/config"
	"toolgraph/internal/graphtest"
	"toolgraph/internal/project"
)

// tested is how tests went.
type tested struct {
	Passed  int               `json:"passed"`
	Failed  int               `json:"failed"`
	Skipped int               `json:"skipped"`
	Items   []json.RawMessage `json:"items"`
}

// testGraphTool runs the tests that are given, or those of the file beside the graph
// file. Calls are answered by mocks and recordings: no server is started.
func testGraphTool(ctx context.Context, _ *Toolkit, v *view, a arguments) (any, error) {
	held, name := v, a.text("toolName")
	if a.get("toolDefinition") != nil {
		var err error
		if held, name, err = v.subject(a); err != nil {
			return nil, notStarted(v, err)
		}
	} else if name != "" {
		file, err := v.file()
		if err != nil {
			return nil, err
		}
		if toolOf(file, name) == nil {
			return nil, noTool(file, name)
		}
	}
	suite, err := suiteOf(held, name, a)
	if err != nil {
		return nil, err
	}
	report, err := suite.Run(ctx, graphtest.Options{
		ServersFile: v.servers,
		Load: func(ctx context.Context, _ string, opts config.Options) (*project.Project, error) {
			return project.Parse(ctx, held.path, held.src, opts)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("no test was run: %w", err)
	}
	told := tested{Items: []json.RawMessage{}}
	for _, r := range report.Results {
		if name != "" && r.Case.Tool.Value != name {
			continue
		}
		if err := told.add(r); err != nil {
			return nil, err
		}
	}
	return told, nil
}

// suiteOf is the tests that are given, or those beside the graph file.
func suiteOf(v *view, name string, a arguments) (*graphtest.Suite, error) {
	tests, given := a.get("tests").([]any)
	if !given {
		base := v.path[:len(v.path)-len(filepath.Ext(v.path))]
		suite, err := graphtest.Load(base+".test.yaml", graphtest.WithGraph(v.path))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there are no tests: %s is not there; give tests as an argument, or have the user write that file", base+".test.yaml")
		}
		return suite, err
	}
	list := dataOf(tests)
	for i, test := range list.Items {
		if named, _ := test.Get("cassette").Value().(string); named != "" && !filepath.IsLocal(named) {
			return nil, fmt.Errorf("the tests cannot be run: the cassette %q is not in the folder of the graph file, expected a path within it", named)
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
	if mocks := a.get("mocks"); mocks != nil {
		file = file.With("mocks", dataOf(mocks))
	}
	path := filepath.Join(filepath.Dir(v.path), "given.test.yaml")
	suite, err := graphtest.Parse(path, config.EncodeData(file), graphtest.WithGraph(v.path))
	var found config.Diagnostics
	if errors.As(err, &found) {
		return nil, fmt.Errorf("the tests cannot be run: %w", tellPlain(found))
	}
	return suite, err
}

// tellPlain is findings without their places, which are in no file.
func tellPlain(found config.Diagnostics) error {
	text := ""
	for _, d := range found {
		if text != "" {
			text += "\n"
		}
		text += d.Message
		if d.Hint != "" {
			text += "; " + d.Hint
		}
	}
	return errors.New(text)
}

// add counts a result and keeps what there is to say about it.
func (t *tested) add(r *graphtest.Result) error {
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
		raw, err = encode(struct {
			Test   string           `json:"test"`
			Status graphtest.Status `json:"status"`
			Note   string           `json:"note"`
		}{Test: r.Case.Name, Status: r.Status, Note: fmt.Sprintf("the result has %d bytes of JSON, too many to be told; toolgraph test tells all of it", len(raw))})
	}
	t.Items = append(t.Items, raw)
	return err
}
