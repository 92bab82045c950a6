package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// drop removes lines from, up to but without to, counted from 1.
func drop(from, to int) func(src []byte) []byte {
	return onLines(func(lines []string) []string { return slices.Delete(lines, from-1, to-1) })
}

func onLines(change func(lines []string) []string) func(src []byte) []byte {
	return func(src []byte) []byte {
		lines := strings.SplitAfter(strings.TrimSuffix(string(src), "\n"), "\n")
		return []byte(strings.Join(change(lines), ""))
	}
}

// replaceIn replaces a text in one line, counted from 1.
func replaceIn(line int, old, by string) func(src []byte) []byte {
	return onLines(func(lines []string) []string {
		changed := strings.Replace(lines[line-1], old, by, 1)
		if changed == lines[line-1] {
			panic("nothing to replace")
		}
		lines[line-1] = changed
		return lines
	})
}

// reseal changes a line and gives it the hash that its new content needs.
func reseal(line int, old, by string) func(src []byte) []byte {
	return onLines(func(lines []string) []string {
		src := strings.TrimSuffix(lines[line-1], "\n")
		src = strings.Replace(src[:len(src)-sealSize], old, by, 1)
		lines[line-1] = src + sealStart + digestOf([]byte(src)) + sealEnd + "\n"
		return lines
	})
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// F17 (T13): whatever is changed, verification names the first bad line, and what it found and
// expected there; and no process goes on with the log as if nothing had happened.
func TestF17T13ChangesAreFound(t *testing.T) {
	for name, test := range map[string]struct {
		change func(t *testing.T, path string)
		line   int      // 0: the file as a whole
		words  []string // of the message
		goesOn bool     // the change is before the end of the file, which is all that a start reads
	}{
		"a text of a line is edited": {
			func(t *testing.T, p string) { edit(t, p, replaceIn(4, `"read"`, `"rdea"`)) }, 4, []string{"the line was changed: found the hash", "expected"}, false,
		},
		"a line is edited, with a new hash": {
			func(t *testing.T, p string) { edit(t, p, reseal(4, `"server":"files"`, `"server":"other"`)) }, 5,
			[]string{"found line 5", "expected line 5", "this line or the one before it was replaced"},
			false,
		},
		"the last line is edited":                    {func(t *testing.T, p string) { edit(t, p, replaceIn(15, "closed", "Closed")) }, 15, []string{"the line was changed"}, false},
		"the last line is edited, with a new hash":   {func(t *testing.T, p string) { edit(t, p, reseal(15, "closed", "Closed")) }, 15, []string{"found the hash", "audit.jsonl.head says"}, false},
		"a line is removed":                          {func(t *testing.T, p string) { edit(t, p, drop(6, 7)) }, 6, []string{"found line 7", "expected line 6", "1 line was removed"}, false},
		"lines are removed":                          {func(t *testing.T, p string) { edit(t, p, drop(6, 9)) }, 6, []string{"3 lines were removed"}, false},
		"the first line is removed":                  {func(t *testing.T, p string) { edit(t, p, drop(1, 2)) }, 1, []string{"found line 2", "expected line 1, which follows no line"}, false},
		"the end is removed":                         {func(t *testing.T, p string) { edit(t, p, drop(12, 16)) }, 12, []string{"found the end of the log after its line 11, expected line 15", "4 lines were removed"}, false},
		"the last line is removed":                   {func(t *testing.T, p string) { edit(t, p, drop(15, 16)) }, 15, []string{"1 line was removed"}, false},
		"all lines are removed":                      {func(t *testing.T, p string) { edit(t, p, func([]byte) []byte { return nil }) }, 1, []string{"the file is empty"}, false},
		"the end is removed in the middle of a line": {func(t *testing.T, p string) { edit(t, p, func(src []byte) []byte { return src[:len(src)-100] }) }, 15, []string{"found no complete line"}, false},
		"a line is repeated": {
			func(t *testing.T, p string) {
				edit(t, p, onLines(func(lines []string) []string { return slices.Insert(lines, 5, lines[4]) }))
			}, 6, []string{"found line 5", "expected line 6", "inserted, moved or repeated"}, false,
		},
		"lines are swapped": {
			func(t *testing.T, p string) {
				edit(t, p, onLines(func(lines []string) []string { lines[4], lines[5] = lines[5], lines[4]; return lines }))
			}, 5, []string{"found line 6"}, false,
		},
		"a text is inserted": {func(t *testing.T, p string) {
			edit(t, p, onLines(func(l []string) []string { return slices.Insert(l, 7, "{}\n") }))
		}, 8, []string{"found no complete line"}, false},
		"a long text is appended": {func(t *testing.T, p string) {
			edit(t, p, func(src []byte) []byte { return append(src, bytes.Repeat([]byte("x"), 3*maxLine)...) })
		}, 0, nil, true},
		"the head is removed": {func(t *testing.T, p string) { remove(t, p+headSuffix) }, 0, []string{"audit.jsonl.head: the file is missing"}, false},
		"the head is emptied": {func(t *testing.T, p string) { edit(t, p+headSuffix, func([]byte) []byte { return nil }) }, 0, []string{"found no number of lines and hash"}, false},
		"the head has another hash": {func(t *testing.T, p string) {
			edit(t, p+headSuffix, func(src []byte) []byte { return bytes.Replace(src, []byte(`"hash":"`), []byte(`"hash":"0`), 1) })
		}, 15, []string{"audit.jsonl.head says"}, false},
		"the file is removed": {func(t *testing.T, p string) { remove(t, p) }, 0, []string{"audit.jsonl: the file is missing; expected line 15"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLog(t, 0)
			l.runs(3)
			l.close()
			test.change(t, l.path)
			r := l.verify()
			if test.words == nil { // what is no line at the end looks like a crash
				if !r.OK || len(r.Notes) != 1 {
					t.Errorf("%+v", r)
				}
			} else if r.OK || r.Problem.Line != test.line {
				t.Fatalf("%+v, expected a problem in line %d", r.Problem, test.line)
			}
			for _, words := range test.words {
				if !strings.Contains(r.Problem.Error(), words) {
					t.Errorf("%v, expected %q", r.Problem, words)
				}
			}
			again, err := l.again()
			switch {
			case test.goesOn && err != nil:
				t.Error(err)
			case test.goesOn:
				_ = again.Close()
				l.whole()
			case err == nil:
				_ = again.Close()
				t.Error("a process goes on with the log")
			case !strings.Contains(err.Error(), "is damaged: ") || !strings.Contains(err.Error(), "name another file with --audit"):
				t.Error(err)
			}
		})
	}
}

// F17 (T13): a rotated file is missing, edited, renamed, or does not belong to the log.
func TestF17RotatedFiles(t *testing.T) {
	second := ".2026-11-22.2"
	for name, test := range map[string]struct {
		change   func(t *testing.T, path string)
		at       string // file and line of the problem
		expected string
	}{
		"missing": {func(t *testing.T, p string) { remove(t, p+second) }, ".2026-11-22.3:1", `found no file "audit.jsonl.2026-11-22.2"`},
		"renamed": {func(t *testing.T, p string) {
			if err := os.Rename(p+second, p+".2026-11-22.9"); err != nil {
				t.Fatal(err)
			}
		}, ".2026-11-22.3:1", `found no file "audit.jsonl.2026-11-22.2"`},
		"edited":  {func(t *testing.T, p string) { edit(t, p+second, replaceIn(3, "R", "Q")) }, second + ":3", "the line was changed"},
		"its end": {func(t *testing.T, p string) { edit(t, p+second, func(src []byte) []byte { return src[:len(src)-9] }) }, second + ":8", "found no complete line"},
		"a line":  {func(t *testing.T, p string) { edit(t, p+second, drop(8, 9)) }, ".2026-11-22.3:1", "1 line was removed"},
		"exchanged": {func(t *testing.T, p string) {
			src, err := os.ReadFile(p + ".2026-11-22.1")
			if err != nil {
				t.Fatal(err)
			}
			edit(t, p+second, func([]byte) []byte { return src })
		}, ".2026-11-22.1", "does not belong to the log"},
		"foreign": {func(t *testing.T, p string) {
			if err := os.WriteFile(p+".2026-11-21.1", nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, ".2026-11-21.1", "does not belong to the log"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLog(t, 2000)
			l.runs(8)
			l.close()
			l.whole()
			test.change(t, l.path)
			r := l.verify()
			if r.OK || !strings.HasPrefix(r.Problem.Error(), l.path+test.at+": ") || !strings.Contains(r.Problem.Message, test.expected) {
				t.Errorf("%v, expected %s: …%s", r.Problem, test.at, test.expected)
			}
		})
	}
}

// A file that links to itself or outside of its directory is not followed.
func TestPreviousIsARotatedFile(t *testing.T) {
	for _, previous := range []string{"audit.jsonl", "../audit.jsonl.2026-11-22.1", "/etc/passwd", "audit.jsonl.2026-11-22.1"} {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		first, err := seal(&Entry{Kind: FileBegun, Previous: previous}, mark{}, newLog(t, 0).now)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"", ".2026-11-22.1"} {
			if err := os.WriteFile(path+name, []byte(first.text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := writeHead(path, first.mark()); err != nil {
			t.Fatal(err)
		}
		if r := verified(t, path); r.OK || r.Problem.Line != 1 || !strings.Contains(r.Problem.Message, "found no file") {
			t.Errorf("%s gives %v", previous, r.Problem)
		}
	}
}

// A file of any bytes gives a problem or a note, never a panic.
func FuzzVerify(f *testing.F) {
	first, err := seal(&Entry{Kind: FileBegun}, mark{}, (&testLog{}).now)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(""), []byte("{}"))
	f.Add([]byte(first.text+"\n"), []byte(`{"lines":1}`))
	f.Add([]byte(first.text+"\n{\"n\":2"), []byte(`{"lines":0}`))
	f.Fuzz(func(t *testing.T, log, head []byte) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		for name, content := range map[string][]byte{"": log, headSuffix: head} {
			if err := os.WriteFile(path+name, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Verify(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
		if l, err := Open(t.Context(), path, Options{}); err == nil {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}
		_ = fmt.Sprint(r.Problem)
	})
}

// A last line that the head does not cover yet is whole or cut off; a changed one is neither.
func TestF17LastLineBeyondTheHead(t *testing.T) {
	l := newLog(t, 0)
	l.runs(1)
	l.die()
	edit(t, l.path, replaceIn(6, `"ok"`, `"OK"`))
	if r := l.verify(); r.OK || r.Problem.Line != 6 || !strings.Contains(r.Problem.Message, "the line was changed") {
		t.Errorf("%+v", r)
	}
	if _, err := l.again(); err == nil || !strings.Contains(err.Error(), "the line was changed") {
		t.Errorf("a process goes on with the log: %v", err)
	}
}

// Only the first line of a file begins a file.
func TestFirstLine(t *testing.T) {
	for bad, kinds := range map[int][]Kind{1: {Opened, Closed}, 3: {FileBegun, Opened, FileBegun, Closed}} {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		var last mark
		var src []byte
		for _, kind := range kinds {
			l, err := seal(&Entry{Kind: kind}, last, (&testLog{}).now)
			if err != nil {
				t.Fatal(err)
			}
			last, src = l.mark(), append(src, l.text+"\n"...)
		}
		if err := os.WriteFile(path, src, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := writeHead(path, last); err != nil {
			t.Fatal(err)
		}
		if r := verified(t, path); r.OK || r.Problem.Line != bad || !strings.Contains(r.Problem.Message, "as the first line of a file and nowhere else") {
			t.Errorf("%v gives %v", kinds, r.Problem)
		}
	}
}

// F17 (T13): what a crash has left of a line cannot be changed or removed either, once it is reported.
func TestF17IncompleteLineIsChanged(t *testing.T) {
	for expected, change := range map[string]func(src []byte) []byte{
		":6: found no complete line":                                      replaceIn(6, "run", "run-"),
		":6: found no incomplete line before this one, expected one of":   drop(6, 7),
		":6: found no complete line, expected JSON that ends with its ha": func(src []byte) []byte { return bytes.Replace(src, []byte(`"cut"`), []byte(`"cus"`), 1) },
	} {
		l := newLog(t, 0)
		l.runs(1)
		l.die()
		edit(t, l.path, func(src []byte) []byte { return src[:len(src)-20] })
		l.reopen()
		l.close()
		if r := l.whole(); len(r.Notes) != 1 {
			t.Errorf("%+v", r)
		}
		edit(t, l.path, change)
		if r := l.verify(); r.OK || !strings.Contains(r.Problem.Error(), expected) {
			t.Errorf("%v, expected %s", r.Problem, expected)
		}
	}
}

// X04: whole lines of another program at the end are no line that a crash cut off: the first of them is
// named, and no process goes on with the log. Only an end without a line break is incomplete.
func TestX04ForeignLinesAtTheEnd(t *testing.T) {
	for foreign, bad := range map[string]int{
		`{"n":99}` + "\n":                  16,
		`{"n":99}` + "\n" + `{"n":100}`:    16,
		`{"n":16,"time":"2026-` + "\n{}\n": 16,
		"\n":                               16,
		`{"n":99}`:                         0,
		`{"n":16,"time":"2026-`:            0,
	} {
		l := newLog(t, 0)
		l.runs(3)
		l.close()
		edit(t, l.path, func(src []byte) []byte { return append(src, foreign...) })
		r := l.verify()
		again, err := l.again()
		if err == nil {
			_ = again.Close()
		}
		switch {
		case bad == 0 && (!r.OK || len(r.Notes) != 1 || err != nil):
			t.Errorf("%q gives %+v and %v, expected a note", foreign, r, err)
		case bad == 0:
			l.whole()
		case r.OK || r.Problem.Line != bad || !strings.Contains(r.Problem.Message, "found no complete line"):
			t.Errorf("%q gives %+v, expected a problem in line %d", foreign, r.Problem, bad)
		case err == nil:
			t.Errorf("%q: a process goes on with the log", foreign)
		}
	}
}

// X04: a process that finds the disk full twice leaves one fragment, which no line break follows.
func TestX04FullDiskTwice(t *testing.T) {
	for _, parts := range []int{1, 50} {
		l := newLog(t, 0)
		l.runs(1)
		f := l.breakable()
		f.full, f.parts = fullDisk(t), 100
		l.note(Entry{Kind: RunBegun})
		f.parts = parts
		l.note(Entry{Kind: RunBegun})
		l.die()
		if r := l.verify(); !r.OK || len(r.Notes) != 1 {
			t.Errorf("%+v", r)
		}
		l.reopen()
		l.close()
		l.whole()
	}
}
