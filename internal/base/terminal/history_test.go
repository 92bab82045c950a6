package terminal

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Lines last across sessions, in a file of the user alone; what is private, hidden or too long is
// not kept.
func TestHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "debug_history")
	private := func(line string) bool { return strings.Contains(line, "hunter2") }
	h := OpenHistory(path, private)
	for _, line := range []string{
		"step", "step", "", " hidden by a space", "edit entry \"hunter2\"", "print $.\x1b[31m", "print \u202e", strings.Repeat("x", 5000), "漢字",
	} {
		h.Add(line)
	}
	want := []string{"step", "漢字"}
	if again := OpenHistory(path, private); !slices.Equal(h.Lines(), want) || !slices.Equal(again.Lines(), want) {
		t.Errorf("%q, and again %q", h.Lines(), again.Lines())
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for i := range 3 * mostLines {
		h.Add(fmt.Sprintf("print %d", i))
	}
	again := OpenHistory(path, private).Lines()
	raw, err := os.ReadFile(path)
	if err != nil || len(again) != mostLines || again[mostLines-1] != "print 1499" || strings.Count(string(raw), "\n") != mostLines {
		t.Errorf("%d lines to %q, %d in the file, %v", len(again), again[len(again)-1], strings.Count(string(raw), "\n"), err)
	}
	// What another program has written there is judged the same way.
	if err := os.WriteFile(path, []byte("step\n\x1b]0;x\a\nhunter2\nnext\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := OpenHistory(path, private).Lines(); !slices.Equal(got, []string{"step", "next"}) {
		t.Errorf("%q", got)
	}
}

// Without a path, and where the path is a link, nothing is written.
func TestHistoryWithoutFile(t *testing.T) {
	none := OpenHistory("", func(string) bool { return false })
	if !none.Add("step") || len(none.Lines()) != 1 {
		t.Error("the line is not kept in memory")
	}
	if runtime.GOOS == "windows" {
		return
	}
	dir := t.TempDir()
	victim, link := filepath.Join(dir, "victim"), filepath.Join(dir, "link")
	if err := os.WriteFile(victim, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, link); err != nil {
		t.Fatal(err)
	}
	OpenHistory(link, func(string) bool { return false }).Add("step")
	if raw, _ := os.ReadFile(victim); string(raw) != "mine\n" {
		t.Errorf("%q", raw)
	}
}
