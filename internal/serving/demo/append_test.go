package demo

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Lines are added at the end of text files, and nothing else is changed.
func TestAppendLine(t *testing.T) {
	files := tree(t)
	if _, err := files.AppendLine("a.txt", "more"); err == nil || !strings.Contains(err.Error(), "--write") {
		t.Errorf("a server that only reads has written: %v", err)
	}
	files.isWritable = true
	for _, line := range []string{"one", "", "two\tö"} {
		if got, err := files.AppendLine("sub/new.md", line); err != nil || got.Bytes != len(line)+1 {
			t.Errorf("%q: %+v, %v", line, got, err)
		}
	}
	if got, err := files.ReadFile("sub/new.md"); err != nil || got.Content != "one\n\ntwo\tö\n" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAppendLineRefuses(t *testing.T) {
	files := tree(t)
	files.isWritable = true
	root := files.root.Name()
	if err := os.Mkdir(filepath.Join(root, "dir.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "large.txt"), bytes.Repeat([]byte("x"), maxWritten-2), 0o600); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside.txt")
	if err := os.Symlink(outside, filepath.Join(root, "link.txt")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, line, want string }{
		{"a.sh", "x", "expected a name that ends in .md or .txt"},
		{"a", "x", "expected a name"},
		{".", "x", "expected a name"},
		{".hidden/d.txt", "x", "is hidden"},
		{"sub/.d.txt", "x", "is hidden"},
		{"a.txt", "x\ny", "line break"},
		{"a.txt", "x\x1b[2J", "control character"},
		{"a.txt", "x\xff", "control character"},
		{"a.txt", strings.Repeat("ö", maxLine+1), "has 1001 characters"},
		{"large.txt", "xy", "larger than"},
		{"dir.md", "x", "not a regular file"},
		{"missing/a.txt", "x", "does not exist"},
		{"out/x.txt", "x", "out/x.txt"},
		{"link.txt", "x", "link.txt"},
	} {
		if got, err := files.AppendLine(c.path, c.line); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.20q: %+v, %v, want %q", c.path, c.line, got, err, c.want)
		}
	}
	if got, err := files.AppendLine("../../up.txt", "x"); err != nil { // above the root is the root
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(root), "up.txt")); err == nil {
		t.Error("a file above the directory was written")
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("a link out of the directory was followed")
	}
	if got, err := files.ReadFile("a.txt"); err != nil || got.Content != "alpha" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Only a server that is opened for writing lists the tool that writes, which says that it does.
func TestListedForWriting(t *testing.T) {
	files := tree(t)
	for _, write := range []bool{false, true} {
		files.isWritable = write
		var out strings.Builder
		in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
			`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
		if err := files.Serve(t.Context(), strings.NewReader(in), &out, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
		if listed := strings.Contains(out.String(), `"name":"append_line"`); listed != write || write && !strings.Contains(out.String(), `"readOnlyHint":false`) {
			t.Errorf("write %v: %s", write, &out)
		}
	}
}
