package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTidy(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"indentation", "# top\na:\n    b: 1   # one\n    # two\n    c:\n          - x: 1\n            y: 2\n          # three\n          -   z\nd: [1,\n  2]\n", "# top\na:\n  b: 1   # one\n  # two\n  c:\n    - x: 1\n      y: 2\n    # three\n    -   z\nd: [1,\n  2]\n"},
		{"a list without indentation", "a:\n- b: 1\n  c:\n  - d\n", "a:\n  - b: 1\n    c:\n      - d\n"},
		{"empty lines", "\n\na: 1  \n\n\n \nb: 2\n\n\n", "a: 1\n\nb: 2\n"},
		{"no line end", "a: 1", "a: 1\n"},
		{"block scalars", "a:\n    b: |\n        x  \n\n\n          y\n    c: >-\n      p\n      q\n    d: |+\n      z\n\n\n", "a:\n  b: |\n      x  \n\n\n        y\n  c: >-\n    p\n    q\n  d: |+\n    z\n\n\n"},
		{"an explicit indentation", "a:\n    b: |2\n         x\n", "a:\n  b: |2\n       x\n"},
		{"several lines", "a:\n    b: \"x\n      y\"\n    c: p\n      q\n    d: {e: 1,\n        # note\n        f: 2}\n", "a:\n  b: \"x\n    y\"\n  c: p\n    q\n  d: {e: 1,\n      # note\n      f: 2}\n"},
		{"lists in lists", "a:\n   - - 1\n     - 2\n   -\n     b: 1\n", "a:\n  - - 1\n    - 2\n  -\n    b: 1\n"},
		{"anchors", "a:\n    - &x {b: 1}\n    - &y\n      c: 1\n    - *x\n", "a:\n  - &x {b: 1}\n  - &y\n    c: 1\n  - *x\n"},
		{"line ends of Windows", "a:\r\n    b: 1 \r\n\r\n\r\nc: 2", "a:\r\n  b: 1\r\n\r\nc: 2\r\n"},
		{"a byte order mark", "\ufeffa:\n    b: 1\n", "\ufeffa:\n  b: 1\n"},
		{"in order", "a:\n  - b: |\n      c\n\n# end\n", "a:\n  - b: |\n      c\n\n# end\n"},
		{"not readable", "a: [\n    b", "a: [\n    b"},
		{"a key twice", "a: 1  \na: 2", "a: 1  \na: 2"},
	} {
		got := string(Apply([]byte(c.src), Tidy("x.yaml", []byte(c.src))))
		if got != c.want {
			t.Errorf("%s: got\n%q, want\n%q", c.name, got, c.want)
		}
	}
}

// The examples are in order, and get there again from other indentations, with the same content.
func TestTidyExamples(t *testing.T) {
	paths, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := Apply(src, Tidy(path, src)); string(got) != string(src) {
			t.Errorf("%s is not in order:\n%s", path, got)
		}
		wide := ""
		for _, line := range strings.SplitAfter(string(src), "\n") {
			body := strings.TrimLeft(line, " ")
			wide += strings.Repeat(" ", len(line)-len(body)) + line
		}
		if root, _ := ParseWritten(path, []byte(wide)); root == nil {
			continue
		}
		was, _ := ParseWritten(path, []byte(wide))
		tidy := Apply([]byte(wide), Tidy(path, []byte(wide)))
		is, _ := ParseWritten(path, tidy)
		if string(was.JSON()) != string(is.JSON()) || len(tidy) >= len(wide) {
			t.Errorf("%s has other content, or is as it was", path)
		}
	}
}
