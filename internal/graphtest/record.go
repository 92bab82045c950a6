package graphtest

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"

	"toolgraph/internal/files"
)

// record writes what servers have answered into the cassettes of the cases. Earlier runs
// of cases that did not run, or got no answer, are kept; those of cases that are gone
// are not.
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
	var paths []string
	for path := range fresh {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
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

// write writes a cassette: the runs in the order of the cases, then those that are for
// others. It is not written when there is nothing in it and never was.
func (r *runner) write(path string, fresh map[string]*RecordedRun) (bool, error) {
	kept := map[string]RecordedRun{}
	var others []RecordedRun // for every case, or those of another file that shares the cassette
	old := r.cassettes[path]
	if old != nil {
		for _, run := range old.Runs {
			kept[run.Test] = run
			ours := slices.ContainsFunc(r.suite.Cases, func(c *Case) bool { return c.Name == run.Test })
			if run.Test == "" || !ours && path != r.suite.Cassette() {
				others = append(others, run)
			}
		}
	}
	c := &Cassette{}
	for _, test := range r.suite.Cases {
		run, ran := fresh[test.Name]
		before, was := kept[test.Name]
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

// recordedRun is what a cassette keeps of a run: what servers answered, and the steps.
func recordedRun(result *Result) *RecordedRun {
	run := &RecordedRun{Test: result.Case.Name, Tool: result.Case.Tool.Value, Steps: stepsOf(result.Records)}
	for _, call := range result.Calls {
		if call.Source != FromServer {
			continue
		}
		recorded := Recorded{Node: call.Node, Server: call.Server, Tool: call.Tool, Args: call.Args, Result: call.Result}
		if call.Err != nil {
			recorded.Result, recorded.Failed, recorded.Error, recorded.Code = nil, true, call.Err.Error(), codeOf(call.Err)
			recorded.Structured = structuredOf(call.Err)
		}
		run.Calls = append(run.Calls, recorded)
	}
	return run
}

// answers are the codes of failures that servers, or their definitions, answer with.
// With any other code there was no answer: the server did not start, or went away.
var answers = []string{"tool-error", "rpc-error", "unknown-tool", "invalid-arguments"}

// recordable reports whether a run is one to be played again: every call was answered,
// or it went as expected all the same.
func (r *Result) recordable() bool {
	return r.Status == Passed || r.Status == Failed && !slices.ContainsFunc(r.Calls, func(c Call) bool {
		return c.Err != nil && !slices.Contains(answers, codeOf(c.Err))
	})
}

// codeOf is the code that an error tells, or "".
func codeOf(err error) string {
	var coded interface{ ErrorCode() string }
	if errors.As(err, &coded) {
		return coded.ErrorCode()
	}
	return ""
}

// structuredOf is the structuredContent that a failed tool answered with, or nil.
func structuredOf(err error) json.RawMessage {
	var failed interface{ StructuredContent() json.RawMessage }
	if errors.As(err, &failed) {
		return failed.StructuredContent()
	}
	return nil
}

// modeLike is the mode of a new file beside another.
func modeLike(other string) fs.FileMode {
	if info, err := os.Stat(other); err == nil {
		return info.Mode().Perm()
	}
	return 0o600
}
