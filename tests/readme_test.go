package tests

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readmeCommands are the lines of the README's first block of commands.
func readmeCommands(t *testing.T) []string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(src), "```sh\n")
	block, _, closed := strings.Cut(rest, "\n```")
	if !found || !closed {
		t.Fatal("the README has no block of commands")
	}
	return strings.Split(block, "\n")
}

// The two commands that the README begins with do what it says: the first a real run,
// the second all tests, which is what CI calls.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	commands := readmeCommands(t)
	if len(commands) != 2 {
		t.Fatalf("the README begins with the commands %q, expected two", commands)
	}
	words := strings.Fields(commands[0])
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Dir = ".."
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", commands[0], err, &stderr)
	}
	var result struct {
		Files []struct {
			Name string
			Size int
		}
		LookedAt   int `json:"looked_at"`
		SavedBytes int `json:"saved_bytes"`
	}
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		t.Fatalf("%s printed %s: %v", commands[0], &out, err)
	}
	if len(result.Files) == 0 || result.Files[0].Name == "" || result.LookedAt == 0 || result.SavedBytes == 0 {
		t.Errorf("%s printed %s", commands[0], &out)
	}
	if path := tracePath(stderr.String()); len(path) < 3 || path[0] != "entry" || path[len(path)-1] != "exit" {
		t.Errorf("%s --trace printed %s", commands[0], &stderr)
	}
	ci, err := os.ReadFile(filepath.Join("..", ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(strings.Split(string(ci), "\n"), commands[1]) {
		t.Errorf("CI does not call %s", commands[1])
	}
}

// The pages that the README sends its readers to are there.
func TestReadmeLinks(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(src), "](")[1:] {
		target, _, _ := strings.Cut(part, ")")
		target, _, _ = strings.Cut(target, "#")
		if target == "" || strings.Contains(target, "://") {
			continue
		}
		if _, err := os.Stat(filepath.Join("..", target)); err != nil {
			t.Errorf("the README links to %s, which is not there", target)
		}
	}
}
