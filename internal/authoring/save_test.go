package authoring

import (
	"errors"
	"os"
	"strings"
	"testing"

	"toolgraph/config"
)

// A whole text is saved as tools are: only where that is allowed, in the place of what was read, and without
// errors unless they are wanted.
func TestSaveText(t *testing.T) {
	k := kit(t, graphFile)
	read, err := os.ReadFile(k.opts.Graph)
	if err != nil {
		t.Fatal(err)
	}
	good := []byte("# changed\n" + string(read))
	bad := []byte(strings.Replace(string(read), "next: t", "next: none", 1))
	if err := New(Options{Graph: k.opts.Graph}).Save(t.Context(), good, read, true); err == nil || !strings.Contains(err.Error(), "--allow-write") {
		t.Errorf("without permission: %v", err)
	}
	if err := k.Save(t.Context(), good, good, true); !errors.Is(err, ErrChanged) {
		t.Errorf("in the place of another text: %v", err)
	}
	var found config.Diagnostics
	if err := k.Save(t.Context(), bad, read, false); !errors.As(err, &found) {
		t.Errorf("with errors: %v", err)
	}
	if now, err := os.ReadFile(k.opts.Graph); err != nil || string(now) != string(read) {
		t.Fatalf("something was saved: %s %v", now, err)
	}
	for _, text := range [][]byte{good, bad} {
		if err := k.Save(t.Context(), text, read, true); err != nil {
			t.Fatal(err)
		}
		if now, err := os.ReadFile(k.opts.Graph); err != nil || string(now) != string(text) {
			t.Errorf("%s %v", now, err)
		}
		read = text
	}
	if err := os.Chmod(k.opts.Graph, 0o400); err != nil {
		t.Fatal(err)
	}
	if err := k.Save(t.Context(), good, read, true); err == nil || !strings.Contains(err.Error(), "is read-only") {
		t.Errorf("a file that is read-only: %v", err)
	}
}
