package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// testLog is a log in a directory of its own, with a clock that stands still.
type testLog struct {
	*Log
	t    *testing.T
	path string
	now  time.Time
	max  int64
}

func newLog(t *testing.T, max int64) *testLog {
	t.Helper()
	l := &testLog{t: t, path: filepath.Join(t.TempDir(), "audit.jsonl"), now: time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC), max: max}
	l.reopen()
	return l
}

func (l *testLog) reopen() {
	l.t.Helper()
	opened, err := l.again()
	if err != nil {
		l.t.Fatal(err)
	}
	l.Log = opened
}

func (l *testLog) again() (*Log, error) {
	return Open(l.t.Context(), l.path, Options{Version: "test", MaxBytes: l.max, now: func() time.Time { return l.now }})
}

// runs writes the lines of so many runs with one call each.
func (l *testLog) runs(n int) {
	for i := range n {
		id := fmt.Sprint("R", i)
		l.note(Entry{Kind: RunBegun, Run: id, Tool: "t"})
		call := Entry{Kind: CallBegun, Run: id, Tool: "t", At: "1", Node: "read", Call: &Call{Server: "files", Tool: "read", Effect: "read"}}
		l.note(call)
		call.Kind, call.Outcome = CallEnded, &Outcome{Code: "ok"}
		l.note(call)
		l.note(Entry{Kind: RunEnded, Run: id, Tool: "t", Outcome: &Outcome{Code: "ok"}})
	}
}

func (l *testLog) close() {
	l.t.Helper()
	if err := l.Close(); err != nil {
		l.t.Fatal(err)
	}
}

// die ends the log as the death of the process does.
func (l *testLog) die() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil {
		l.timer.Stop()
	}
	l.failed = errClosed
	_ = l.file.Close()
	l.unlock()
}

func (l *testLog) verify() *Report {
	l.t.Helper()
	return verified(l.t, l.path)
}

func verified(t *testing.T, path string) *Report {
	t.Helper()
	r, err := Verify(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// whole checks that the chain is whole.
func (l *testLog) whole() *Report {
	l.t.Helper()
	r := l.verify()
	if !r.OK {
		l.t.Fatalf("%v\n%s", r.Problem, l.content())
	}
	return r
}

func (l *testLog) content() string {
	src, _ := os.ReadFile(l.path)
	return string(src)
}

func (l *testLog) lines() []string {
	return strings.SplitAfter(strings.TrimSuffix(l.content(), "\n"), "\n")
}

// edit changes a file of the log.
func edit(t *testing.T, path string, change func(src []byte) []byte) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(src), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLog(t *testing.T) {
	l := newLog(t, 0)
	l.runs(3)
	r := l.whole()
	if r.Lines != 14 || r.Runs.Begun != 3 || r.Runs.Ended["ok"] != 3 || r.Calls["read"] != 3 || r.Open != 0 || r.Files != 1 {
		t.Errorf("%+v", r)
	}
	l.close()
	l.reopen()
	l.runs(1)
	l.close()
	if r := l.whole(); r.Lines != 21 || len(r.Notes) != 0 {
		t.Errorf("%+v", r)
	}
	info, err := os.Stat(l.path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	h, err := readHead(l.path)
	if err != nil || h.N != 21 {
		t.Errorf("the head is %v, %v", h, err)
	}
}

// A second process gets an error that names the remedy.
func TestOneWriter(t *testing.T) {
	l := newLog(t, 0)
	defer l.close()
	if _, err := l.again(); err == nil || !strings.Contains(err.Error(), "another process writes the audit log") || !strings.Contains(err.Error(), "name another file with --audit") {
		t.Error(err)
	}
}

// The process dies in the middle of a line: the next start reports the incomplete
// line, and no verification takes it for a change.
func TestCrashInALine(t *testing.T) {
	base := newLog(t, 0)
	base.runs(1)
	base.die()
	src := []byte(base.content())
	last := base.lines()[len(base.lines())-1]
	known, err := os.ReadFile(base.path + headSuffix)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{1, 2, 3, 20, 78, 79, 150, len(last) - 2, len(last) - 1, len(last), len(last) + 1} {
		l := &testLog{t: t, path: filepath.Join(t.TempDir(), "audit.jsonl"), now: base.now}
		for name, content := range map[string][]byte{"": src[:len(src)-cut], headSuffix: known} {
			if err := os.WriteFile(l.path+name, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		before := l.whole()
		l.reopen()
		l.runs(1)
		l.close()
		r := l.whole()
		whole := cut == 1 || cut > len(last) // only the line break is missing, or the line as well
		if whole != (len(r.Notes) == 0) || whole != (len(before.Notes) == 0) {
			t.Fatalf("%d bytes cut off: %+v, then %+v\n%s", cut, before, r, l.content())
		}
	}
}

// Rotation by size and by day: one chain through all files.
func TestRotation(t *testing.T) {
	l := newLog(t, 2000)
	l.runs(5)
	l.now = l.now.Add(24 * time.Hour)
	l.runs(5)
	l.close()
	l.reopen()
	l.runs(5)
	l.close()
	r := l.whole()
	rotated, err := rotatedFiles(l.path)
	if err != nil || r.Files != len(rotated)+1 || r.Files < 4 || r.Runs.Begun != 15 {
		t.Errorf("%+v of %v, %v", r, rotated, err)
	}
	days := map[string]bool{}
	for _, name := range rotated {
		day, _ := datedName(l.path, name)
		days[day] = true
	}
	if !days["2026-11-22"] || !days["2026-11-23"] {
		t.Error(rotated)
	}
	if !strings.Contains(l.lines()[0], `"previous":"`+rotated[len(rotated)-1]+`"`) {
		t.Error(l.lines()[0])
	}
}

// The process dies in the middle of a rotation.
func TestCrashInRotation(t *testing.T) {
	l := newLog(t, 0)
	l.runs(5)
	l.close()
	if err := os.Rename(l.path, l.path+".2026-11-22.1"); err != nil {
		t.Fatal(err)
	}
	if r := l.verify(); r.OK || !strings.Contains(r.Problem.Message, "missing") {
		t.Errorf("%+v", r)
	}
	l.reopen()
	l.runs(1)
	l.close()
	if r := l.whole(); r.Files != 2 || r.Runs.Begun != 6 {
		t.Errorf("%+v", r)
	}
}

// A rotation that fails lets the file go on.
func TestRotationFails(t *testing.T) {
	l := newLog(t, 1000)
	if err := os.Mkdir(l.path+".2026-11-22.999999", 0o700); err != nil { // no name is left
		t.Fatal(err)
	}
	l.runs(3)
	l.close()
	if n := len(l.lines()); n != 15 {
		t.Errorf("%d lines:\n%s", n, l.content())
	}
}

// A log can be verified while it is written and rotated.
func TestVerifyWhileWriting(t *testing.T) {
	l := newLog(t, 3000)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.runs(60)
	}()
	for writing := true; writing; {
		select {
		case <-ended:
			writing = false
		default:
		}
		l.whole()
	}
	l.close()
	if r := l.whole(); r.Files < 3 {
		t.Errorf("%+v", r)
	}
}
