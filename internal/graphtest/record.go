package graphtest

import (
	"io/fs"
	"maps"
	"os"
	"slices"

	"toolgraph/expressions/value"
	"toolgraph/internal/files"
)

// record writes the answers of servers into the cassettes of the cases. Earlier runs of cases
// that did not run, or got no answer, stay; those of cases that no longer exist are removed.
func (r *runner) record(results []*Result) (written []string, err error) {
	fresh := map[string]map[string]*RecordedRun{} // by cassette and case
	for _, result := range results {
		if result.graph == nil || !result.recordable() {
			continue
		}
		path := r.cassetteOf(result.Case)
		if fresh[path] == nil {
			fresh[path] = map[string]*RecordedRun{}
		}
		fresh[path][result.Case.Name] = recordedRun(result)
	}
	for _, path := range slices.Sorted(maps.Keys(fresh)) {
		wrote, err := r.write(path, fresh[path])
		if err != nil {
			return written, err
		}
		if wrote {
			written = append(written, path)
		}
	}
	return written, nil
}

// write writes a cassette: the runs in the order of the cases, then those of others. An empty
// cassette is only written over an older one.
func (r *runner) write(path string, fresh map[string]*RecordedRun) (bool, error) {
	earlier := map[string]RecordedRun{}
	var others []RecordedRun // for every case, or those of another file that shares the cassette
	old := r.cassettes[path]
	if old != nil {
		for _, run := range old.Runs {
			earlier[run.Test] = run
			known := slices.ContainsFunc(r.suite.Cases, func(c *Case) bool { return c.Name == run.Test })
			if run.Test == "" || !known && path != r.suite.Cassette() {
				others = append(others, run)
			}
		}
	}
	c := &Cassette{Version: cassetteVersion, Runs: []RecordedRun{}}
	for _, test := range r.suite.Cases {
		run, ran := fresh[test.Name]
		before, was := earlier[test.Name]
		switch {
		case r.cassetteOf(test) != path:
		case ran && len(run.Calls) > 0:
			c.Runs = append(c.Runs, *run)
		case !ran && was:
			c.Runs = append(c.Runs, before)
		}
	}
	c.Runs = append(c.Runs, others...)
	if len(c.Runs) == 0 && old == nil {
		return false, nil
	}
	src, err := c.encode()
	if err != nil {
		return false, err
	}
	return true, files.Write(path, src, modeLike(r.suite.Path))
}

// recordedRun returns a run for a cassette: the answers of servers, and the steps.
func recordedRun(result *Result) *RecordedRun {
	run := &RecordedRun{Test: result.Case.Name, Tool: result.Case.Tool.Value, Calls: []Recorded{}, Steps: stepsOf(result.Records)}
	for _, call := range result.Calls {
		if call.Source != FromServer {
			continue
		}
		recorded := Recorded{Node: call.Node, Server: call.Server, Tool: call.Tool, Args: value.JSON{Value: call.Args}}
		if call.Err != nil {
			recorded.Error = toolErrorOf(call.Err)
		} else {
			recorded.Result.Value, recorded.Nothing = call.Result, call.Result == nil
		}
		run.Calls = append(run.Calls, recorded)
	}
	return run
}

// answers are the error codes of answers. With any other code there was no answer: the server
// did not start, or ended.
var answers = []string{"tool-error", "rpc-error", "unknown-tool", "invalid-arguments"}

// recordable reports whether a run can be played again: every call was answered, or its case
// passed all the same.
func (r *Result) recordable() bool {
	return r.Status == Passed || r.Status == Failed && !slices.ContainsFunc(r.Calls, func(c Call) bool {
		return c.Err != nil && !slices.Contains(answers, codeOf(c.Err))
	})
}

// modeLike returns the mode for a new file beside another.
func modeLike(other string) fs.FileMode {
	if info, err := os.Stat(other); err == nil {
		return info.Mode().Perm()
	}
	return 0o600
}
