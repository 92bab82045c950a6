package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolgraph/internal/base/cost"
)

func TestY07LargeFiles(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(path("large"), []byte(strings.Repeat("#", 1<<20+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path("sparse"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path("sparse"), 2<<30); err != nil {
		t.Fatal(err)
	}
	for name, expected := range map[string]string{
		path("large"): "larger than 1 MiB", path("sparse"): "larger than 1 MiB",
		dir:          "found a directory, not a regular file",
		path("none"): "no such file", "a\x00b": "NUL",
	} {
		cost.Below(t, 64<<10, func() { // nothing is read of what is too large
			if _, err := Load(name, Options{}); err == nil || !strings.Contains(err.Error(), expected) {
				t.Errorf("%s: %v, expected %s", name, err, expected)
			}
		})
	}
	if _, err := Parse("g.yaml", make([]byte, 1<<20+1), Options{}); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("parse: %v", err)
	}
}

// endless is a file that never ends.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	if e.read > 2*MaxFileBytes {
		return 0, errors.New("read far past the limit")
	}
	return copy(p, strings.Repeat("#", len(p))), nil
}

// A file whose size is known only at its end is read up to the limit and one byte more.
func TestY07FileThatGrows(t *testing.T) {
	var file endless
	if _, err := readBounded("growing", &file); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Error(err)
	}
	if file.read != MaxFileBytes+1 {
		t.Errorf("%d bytes were read", file.read)
	}
}

func TestY08DeepNesting(t *testing.T) {
	for name, src := range map[string]string{
		"lists":     strings.Repeat("[", 10_001),
		"unclosed":  strings.Repeat("[", 1<<20),
		"five M":    strings.Repeat("[", 5_000_000),
		"closed":    strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"mappings":  strings.Repeat("{a: ", 70) + strings.Repeat("}", 70),
		"dashes":    strings.Repeat("- ", 20_000),
		"questions": strings.Repeat("? ", 20_000),
		"alias":     "a: &a " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "\nb: " + strings.Repeat("[", 40) + "*a" + strings.Repeat("]", 40),
	} {
		cost.Below(t, 128<<20, func() {
			found := findingsAnywhere(t, src)
			if len(found) != 1 || found[0].Code != "too-deep" && found[0].Code != "file-too-large" {
				t.Errorf("%s: %v", name, found)
			}
		})
	}
}

// findingsAnywhere is findings for what may concern the file as a whole.
func findingsAnywhere(t *testing.T, src string) Diagnostics {
	t.Helper()
	_, err := Parse("g.yaml", []byte(src), Options{})
	var found Diagnostics
	if !errors.As(err, &found) {
		t.Fatalf("the error is %v", err)
	}
	return found
}

func TestY11TwoDocuments(t *testing.T) {
	want(t, head+"---\na: b\n", "g.yaml:3:1: the file has a second document at line 3, expected one")
	want(t, "---\n"+head)
	want(t, "---\n"+head+"...\n")
	want(t, "%YAML 1.2\n---\n"+head, "found a %YAML line")
}

func TestY12NoMapping(t *testing.T) {
	for src, expected := range map[string]string{
		"": "the file is empty", "# only\n# comments\n": "the file is empty", "null\n": "the graph file is empty, expected a mapping",
		"---\n": "the graph file is empty", "- a\n": "the graph file is a list, expected a mapping", "text\n": "the graph file is text, expected a mapping",
		"42": "the graph file is the number 42, expected a mapping", "{}": "it has no version, server",
	} {
		want(t, src, expected)
	}
}

func TestY13Tab(t *testing.T) {
	want(t, "server:\n\tname: x\n", "g.yaml:2:1: found a tab in the indentation, expected spaces; tabs are not allowed for indentation")
	want(t, "server:\n  name: x\n \tversion: y\n", "g.yaml:3:2: found a tab")
}

func TestY20Characters(t *testing.T) {
	for name, test := range map[string]struct{ src, expected string }{
		"mark":           {"\ufeff" + head, ""},
		"crlf":           {strings.ReplaceAll(head, "\n", "\r\n"), ""},
		"utf-16":         {"\xff\xfes\x00e\x00r\x00", "1:1: the file is UTF-16"},
		"utf-16 be":      {"\xfe\xff\x00s\x00e", "1:1: the file is UTF-16"},
		"utf-16 no mark": {"s\x00e\x00", "1:2: found a NUL character"},
		"latin-1":        {head + "x-a: caf\xe9\n", "3:9: the byte 0xE9 is not UTF-8"},
		"nul":            {head + "x-a: a\x00b\n", "3:7: found a NUL character"},
		"override":       {head + "x-a: äb\u202ec\n", "3:8: found the invisible character U+202E, which changes the direction"},
		"escape":         {head + "x-a: \x1b[1m\n", "3:6: found the control character U+001B"},
		"lone return":    {head + "x-a: a\rb\n", "3:7: found a carriage return alone"},
		"separator":      {head + "x-a: a\u2028b\n", "3:7: found the line separator U+2028"},
		"inner mark":     {head + "x-a: a\ufeffb\n", "3:7: found a byte order mark inside"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.expected == "" {
				want(t, test.src)
				return
			}
			want(t, test.src, test.expected)
		})
	}
}

func TestY22ContentIsNotEchoed(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.yaml")
	if err := os.WriteFile(good, []byte(head), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, content := range []string{
		"root:x:0:0:root:/root:/bin/bash\nnobody:*:65534:65534:s3cr3t\n",
		"root: x:0:0: s3cr3t\n", "s3cr3t: value\nother: s3cr3t\n", "[s3cr3t", "a: *s3cr3t\n", "\"s3cr3t", "- s3cr3t\n", "s3cr3t: a\n\tb: c\n", "%s3cr3t\n", "a: !s3cr3t x\n",
	} {
		secret := filepath.Join(dir, "secret")
		link := filepath.Join(dir, "graph.yaml")
		_ = os.Remove(link)
		if err := os.WriteFile(secret, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(secret, link); err != nil {
			t.Fatal(err)
		}
		for path, opts := range map[string]Options{link: {}, good: {ServersFile: link}} {
			_, err := Load(path, opts)
			if err == nil && path == good && strings.HasPrefix(content, "s3cr3t: value") {
				continue // a servers file may have keys of other programs
			}
			if err == nil || !strings.Contains(err.Error(), link) || strings.Contains(err.Error(), "s3cr3t") || strings.Contains(err.Error(), "root:") {
				t.Errorf("%d as %v: %v", i, opts, err)
			}
		}
	}
	if _, err := Load("/etc/passwd", Options{}); err == nil || strings.Contains(err.Error(), "root:") {
		t.Errorf("passwd: %v", err)
	}
}

func TestY25FileOfLines(t *testing.T) {
	for name, src := range map[string]string{
		"question marks": strings.Repeat("?\n", 1<<19), "dashes": strings.Repeat("-\n", 190_000), "comments": strings.Repeat("- a # x\n", 90_000),
		"anchors": strings.Repeat("- &a x\n", 140_000), "pairs": "[" + strings.Repeat("a: b, ", 170_000) + "]", "quotes": strings.Repeat("'", 1<<20),
	} {
		cost.Below(t, 128<<20, func() {
			if found := findingsAnywhere(t, src); len(found) == 0 {
				t.Errorf("%s: nothing found", name)
			}
		})
	}
}
