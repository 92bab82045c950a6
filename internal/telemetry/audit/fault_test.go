package audit

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// faulty is the file of a log, whose writes and flushes fail on demand.
type faulty struct {
	*os.File
	full  io.Writer // takes writes; nil: the file does
	parts int       // of the next write, so many bytes are written to the file before it fails
	sync  error
}

func (f *faulty) Write(p []byte) (int, error) {
	if f.full == nil {
		return f.File.Write(p)
	}
	n := min(f.parts, len(p))
	f.parts = 0
	if _, err := f.File.Write(p[:n]); err != nil {
		return 0, err
	}
	_, err := f.full.Write(p[n:])
	return n, err
}

func (f *faulty) Sync() error {
	if f.sync != nil {
		return f.sync
	}
	return f.File.Sync()
}

// fails is a writer that fails.
type fails struct{ error }

func (f fails) Write([]byte) (int, error) { return 0, f.error }

// fullDisk is a writer of which each write fails as on a full disk.
func fullDisk(t *testing.T) io.Writer {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		return fails{errors.New("no space left on device")}
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// breakable lets the log have a file that fails on demand.
func (l *testLog) breakable() *faulty {
	l.mu.Lock()
	defer l.mu.Unlock()
	real, _ := l.file.(*os.File)
	f := &faulty{File: real}
	l.file = f
	return f
}

// counting is an upstream server that counts calls.
type counting map[string]int

func (c counting) CallTool(_ context.Context, call execution.Call) (value.Value, error) {
	c[call.Tool]++
	return true, nil
}

// calls makes a call of each effect through the log. The errors are by tool.
func (l *testLog) calls(up execution.ToolCaller) map[string]error {
	found := map[string]error{}
	for _, effect := range []config.Effect{config.ReadEffect, config.WriteEffect, config.DestroyEffect, ""} {
		tool := effectOf(effect)
		_, found[tool] = l.Caller(up).CallTool(l.t.Context(), execution.Call{Run: "R", Index: 1, Node: "n", Server: "up", Tool: tool, Effect: effect, Args: value.NewObject(nil, nil)})
	}
	return found
}

// F17 (T13): while the log cannot be written, calls that are not read are refused before they are
// sent, and the server has counted none; calls that read go on. When it can be written again, it
// says how many lines are missing, and calls go on.
func TestF17LogCannotBeWritten(t *testing.T) {
	for name, test := range map[string]struct {
		fail, mend func(t *testing.T, l *testLog, f *faulty)
		says       string
		final      bool // until the next start
	}{
		"disk full": {
			func(t *testing.T, _ *testLog, f *faulty) { f.full = fullDisk(t) }, func(_ *testing.T, _ *testLog, f *faulty) { f.full = nil }, "no space left on device", false,
		},
		"disk full in the middle of a line": {
			func(t *testing.T, _ *testLog, f *faulty) { f.full, f.parts = fullDisk(t), 100 }, func(_ *testing.T, _ *testLog, f *faulty) { f.full = nil }, "no space left on device", false,
		},
		"disk full after a line break": {
			func(t *testing.T, l *testLog, f *faulty) {
				f.full, f.parts = fullDisk(t), 100
				l.note(Entry{Kind: RunBegun})
				f.parts = 1
			}, func(_ *testing.T, _ *testLog, f *faulty) { f.full = nil }, "no space left on device", false,
		},
		"permission removed": {
			func(t *testing.T, l *testLog, _ *faulty) { chmod(t, l.path, 0o400) }, func(t *testing.T, l *testLog, _ *faulty) { chmod(t, l.path, 0o600) }, "has no write permission; restore it with: chmod 600", false,
		},
		"file renamed": {
			func(t *testing.T, l *testLog, _ *faulty) { rename(t, l.path, l.path+".old") }, func(t *testing.T, l *testLog, _ *faulty) { rename(t, l.path+".old", l.path) }, "was removed or renamed; put it back", false,
		},
		"file replaced": {
			func(t *testing.T, l *testLog, _ *faulty) {
				rename(t, l.path, l.path+".old")
				if err := os.WriteFile(l.path, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}, func(t *testing.T, l *testLog, _ *faulty) { rename(t, l.path+".old", l.path) }, "was replaced by another file", false,
		},
		"file truncated": {
			func(t *testing.T, l *testLog, _ *faulty) { edit(t, l.path, drop(2, 3)) }, nil, "was changed by another program", true,
		},
		"flush fails": {
			func(_ *testing.T, _ *testLog, f *faulty) { f.sync = errors.New("input/output error") }, func(_ *testing.T, _ *testLog, f *faulty) { f.sync = nil }, "could not be flushed to the disk (input/output error)", true,
		},
		"the head cannot be written": {
			func(t *testing.T, l *testLog, _ *faulty) {
				remove(t, l.path+headSuffix)
				if err := os.Mkdir(l.path+headSuffix, 0o700); err != nil {
					t.Fatal(err)
				}
			}, func(t *testing.T, l *testLog, _ *faulty) { remove(t, l.path+headSuffix) }, "audit.jsonl.head", false,
		},
		"closed": {func(_ *testing.T, l *testLog, _ *faulty) { _ = l.Close() }, nil, "the audit log is closed", true},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLog(t, 0)
			l.runs(1)
			test.fail(t, l, l.breakable())
			up := counting{}
			for tool, err := range l.calls(up) {
				if tool == "read" {
					if err != nil || up[tool] != 1 {
						t.Errorf("a call that reads gives %v and was made %d times", err, up[tool])
					}
					continue
				}
				var coded interface{ ErrorCode() string }
				if !errors.As(err, &coded) || coded.ErrorCode() != "not-allowed" || !strings.Contains(err.Error(), test.says) || up[tool] != 0 {
					t.Errorf("%s gives %v, expected not-allowed and %q; it was made %d times", tool, err, test.says, up[tool])
				}
			}
			if test.mend == nil {
				return
			}
			f, _ := l.file.(*faulty)
			test.mend(t, l, f)
			if test.final {
				if err := l.calls(up)["write"]; err == nil || up["write"] != 0 {
					t.Errorf("what is on the disk is unknown, and a call gives %v", err)
				}
				l.die()
				l.whole()
				return
			}
			for tool, err := range l.calls(up) {
				if err != nil {
					t.Errorf("afterwards %s gives %v", tool, err)
				}
			}
			l.close()
			r := l.whole()
			unwritten := 5 // the call and the outcome of read; the calls of the others
			if strings.HasPrefix(name, "the head") {
				unwritten = 0
			} else if strings.HasSuffix(name, "break") {
				unwritten++
			}
			if r.Lost != unwritten {
				t.Errorf("%d lines are lost, expected %d\n%s", r.Lost, unwritten, l.content())
			}
		})
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
