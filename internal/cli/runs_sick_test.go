package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/internal/program"
)

// TestV07Commands: each command that needs the store fails with the reason and the remedy
// when the store cannot be used.
func TestV07Commands(t *testing.T) {
	spoil := func(change func(file string, content []byte) error) string {
		dir := t.TempDir()
		if code, _, errs := command(t, dir, strings.NewReader(importable), "runs", "import", "-"); code != program.ExitOK {
			t.Fatal(errs)
		}
		file := filepath.Join(dir, "history.db")
		content, err := os.ReadFile(file)
		if err == nil {
			err = change(file, content)
		}
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	for want, dir := range map[string]string{
		"is damaged (its version is -1, expected ": spoil(func(file string, content []byte) error {
			copy(content[60:], "\xff\xff\xff\xff") // user_version
			return os.WriteFile(file, content, 0o600)
		}),
		"is damaged (file is not a database": spoil(func(file string, content []byte) error {
			content[0] ^= 1
			return os.WriteFile(file, content, 0o600)
		}),
		"is a directory, expected a file for recorded runs; name another place": spoil(func(file string, _ []byte) error {
			if err := os.Remove(file); err != nil {
				return err
			}
			return os.Mkdir(file, 0o700)
		}),
	} {
		for _, args := range append([][]string{{"runs", "import", "-"}, {"runs", "rm", "--all"}, {"runs", "rm", "--older-than", "1d"}}, looks...) {
			code, out, errs := command(t, dir, strings.NewReader(importable), args...)
			if code != program.ExitFailed || out != "" || !strings.Contains(errs, want) || !strings.Contains(errs, "; ") || strings.Count(errs, "\n") != 1 {
				t.Errorf("%q: exit code %d, %s%s", args, code, out, errs)
			}
		}
		if code, out, _ := command(t, dir, nil, "doctor"); code != program.ExitFailed || !strings.Contains(out, "failed  run history") || !strings.Contains(out, want) {
			t.Errorf("doctor: exit code %d, %s", code, out)
		}
	}
}
