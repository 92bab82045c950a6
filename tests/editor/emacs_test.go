package editor

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Emacs 28 with eglot, as Debian has them, shows a finding, completes, shows a hover and renames.
func TestEmacs(t *testing.T) {
	if os.Getenv("TOOLGRAPH_CLIENTS") != "1" {
		t.Skip("takes several seconds; set TOOLGRAPH_CLIENTS=1")
	}
	ctx, cancel := context.WithTimeout(t.Context(), noEnd)
	defer cancel()
	if err := exec.CommandContext(ctx, "emacs", "--batch", "-q", "--eval", "(progn (require 'eglot) (require 'yaml-mode))").Run(); err != nil {
		t.Skipf("needs Emacs with eglot and yaml-mode (Debian's packages emacs-nox, elpa-eglot and elpa-yaml-mode): %v", err)
	}
	dir, config := t.TempDir(), filepath.Join(t.TempDir(), "init.el")
	for path, text := range map[string]string{
		filepath.Join(dir, "notes.yaml"): notes, filepath.Join(dir, "notes.test.yaml"): notesTest,
		config: documented(t, "elisp", "eglot-server-programs"),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script, err := filepath.Abs("testdata/emacs.el")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, "emacs", "--batch", "-q", "-l", config, "-l", script)
	cmd.Dir, cmd.Env = dir, withProgram(t)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	var shown struct {
		Findings    [][2]string
		Completions []string
		Hover       string
	}
	if err := json.Unmarshal(out.Bytes(), &shown); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if f := shown.Findings; len(f) != 1 || f[0][0] != "done" || !strings.Contains(f[0][1], "unknown-node") {
		t.Errorf("the findings are %q", f)
	}
	checkCompletions(t, shown.Completions)
	checkHover(t, shown.Hover)
	checkRenamed(t, dir)
}
