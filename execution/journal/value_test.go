package journal_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
)

// TestS05KeptRuns: no secret reaches the disk, and a run that had one is not resumed.
func TestS05KeptRuns(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir, journal.Options{})
	j := s.Journal(config.NewSecrets("hunter2-hunter2", "123456789"), journal.About{})
	args := decode(t, `{"hunter2-hunter2":{"token":"a hunter2-hunter2 b"},"n":123456789}`)
	write(t, j, "SECRET", args, decode(t, `["hunter2-hunter2"]`))
	failed := events("FAILED", decode(t, `{}`), nil)
	failure := &execution.Failure{Code: execution.CodeTool, Message: "the server says hunter2-hunter2", Detail: "hunter2-hunter2", Structured: []byte(`{"key":"hunter2-hunter2","n":1}`)}
	failed[2].Record.Error, failed[4].End = failure, &execution.End{Failure: failure}
	for _, e := range append(failed[:3:3], failed[4]) {
		if err := j.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := s.Load(t.Context(), "SECRET")
	if err != nil {
		t.Fatal(err)
	}
	if got := encode(t, kept[0].Start.Args); got != `{"[redacted]":{"token":"a [redacted] b"},"n":"[redacted]"}` {
		t.Error(got)
	}
	r, err := s.Run(t.Context(), "FAILED")
	if err != nil || r.Status != journal.Failed || r.Failure.Message != "the server says [redacted]" || string(r.Failure.Structured) != `{"key":"[redacted]","n":1}` {
		t.Errorf("%+v %v", r, err)
	}
	var gap *journal.GapError
	if _, err := j.Load(t.Context(), "SECRET"); !errors.As(err, &gap) || gap.Gap.Reason != journal.Redacted {
		t.Errorf("it can be taken on: %v", err)
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), "hunter2") {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Long values are recorded, in little space; a value that is too long is not, and loading the run
// to resume it returns an error.
func TestLongValues(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir, journal.Options{MaxValue: 1 << 20})
	j := s.Journal(nil, journal.About{})
	long := value.FromPlain([]any{strings.Repeat("long ", 100_000)})
	write(t, j, "LONG", decode(t, `{}`), long)
	kept, err := j.Load(t.Context(), "LONG")
	if err != nil || encode(t, kept[4].End.Value) != encode(t, long) || encode(t, kept[2].Record.Output) != encode(t, long) {
		t.Fatal("the value has changed", err)
	}
	if r, err := s.Run(t.Context(), "LONG"); err != nil || r.Bytes > 20_000 {
		t.Errorf("it takes %d bytes, %v", r.Bytes, err)
	}
	steps, err := s.Steps(t.Context(), "LONG", 1, 0, 10)
	if err != nil || len(steps) != 2 || string(steps[1].Output.JSON) != `["long lon` || steps[1].Output.Bytes != 500_004 {
		t.Errorf("%d steps, %q, %v", len(steps), steps[1].Output.JSON, err)
	}

	write(t, j, "HUGE", decode(t, `{}`), strings.Repeat("x", 1<<20))
	if kept, err = s.Load(t.Context(), "HUGE"); err != nil {
		t.Fatal(err)
	}
	want := journal.Gap{Reason: journal.TooLarge, Bytes: 1<<20 + 2, Limit: 1 << 20}
	for _, v := range []value.Value{kept[2].Record.Output, kept[4].End.Value} {
		if gap, ok := journal.GapOf(v); !ok || gap != want {
			t.Errorf("%v %v", gap, ok)
		}
	}
	_, err = j.Load(t.Context(), "HUGE")
	if err == nil || !strings.Contains(err.Error(), `run HUGE is not recorded completely: the output of step 1 (node "make") has 1048578 bytes and was not recorded`) {
		t.Error(err)
	}
}
