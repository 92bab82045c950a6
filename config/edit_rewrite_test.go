package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"toolgraph/tests/thorough"
)

// A tool that is added and deleted again leaves every file as it was.
func TestAddAndDelete(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../examples/*.yaml", "testdata/*/*.yaml", "../graph/testdata/*/*.yaml", "../graph/flow/testdata/*/*.yaml", "../internal/*/tools.yaml", "../internal/*/*/tools.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	tried := 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if f, err := Parse(file, src, Options{AssumeEnv: true}); err != nil || len(f.Tools) == 0 {
			continue
		}
		tried++
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			got, err := AddTool(file, src, parsed(t, otherJSON))
			if err != nil {
				t.Fatal(err)
			}
			if got, err = DeleteTool(file, got, "other"); err != nil || string(got) != string(src) {
				t.Errorf("%v\n%s", err, got)
			}
		})
	}
	if tried < 20 {
		t.Errorf("only %d files were tried", tried)
	}
}

// Whatever is changed in an example, the result means exactly that, and comments of
// what did not change stay.
func TestRewriteExamples(t *testing.T) {
	files, err := filepath.Glob("../examples/0[167]-*s.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			rewriteExample(t, file)
		})
	}
}

func rewriteExample(t *testing.T, file string) {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	root, err := ParseData(file, src)
	if err != nil {
		t.Fatal(err)
	}
	all := mutations(root)
	for i := 0; i < len(all); i += thorough.Step(20) {
		other := all[i]
		if len(other.Keys) == 0 {
			continue // an empty file is no mapping of keys any more
		}
		got, err := Rewrite(file, src, other)
		if err != nil {
			t.Errorf("change %d: %v", i, err)
			continue
		}
		if back, err := Rewrite(file, got, root); err != nil {
			t.Errorf("change %d and back: %v", i, err)
		} else if strings.Count(string(got), "#") < strings.Count(string(src), "#")-2 {
			t.Errorf("change %d: comments are gone\n%s\n%s", i, got, back)
		}
	}
}

// mutations are the data with each of its parts changed.
func mutations(d *Data) []*Data {
	var all []*Data
	for i := range d.Items {
		with := func(item *Data) {
			c := *d
			c.Items = append(append(append([]*Data{}, d.Items[:i]...), item), d.Items[i+1:]...)
			all = append(all, &c)
		}
		with(&Data{Scalar: "other: \"text\"\nof two lines"})
		with(&Data{Kind: KindArray, Items: []*Data{{Scalar: "no"}, {Scalar: "1.0"}, {Scalar: nil}, {Scalar: true}}})
		for _, m := range mutations(d.Items[i]) {
			with(m)
		}
		less := *d
		less.Items = append(append([]*Data{}, d.Items[:i]...), d.Items[i+1:]...)
		if d.Kind == KindObject {
			less.Keys = append(append([]Text{}, d.Keys[:i]...), d.Keys[i+1:]...)
		}
		all = append(all, &less)
	}
	if d.Kind == KindObject {
		all = append(all, d.With("- odd: key", &Data{Scalar: "# no comment"}))
	}
	return all
}

// Any text can be written, and is read as itself.
func FuzzRewriteText(f *testing.F) {
	for _, s := range []string{"", " a", "a\n", "a\n\nb \n", "\ta", "~", "no", "0x1", "a: b", "a #b", "'", `"`, "\x00", "é\u2028", "a\r\nb", "- a", "{a", "a\n  \n", "\n", "[", "a]", "%a", "@", "a:", "😀", "1_000", ".5", "=", "<<"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 150 {
			return // as a key with escapes it would be longer than YAML's parser reads one
		}
		want := &Data{Kind: KindObject, Keys: []Text{{Value: "a"}, {Value: "k" + s}}, Items: []*Data{
			{Scalar: s}, {Kind: KindArray, Items: []*Data{{Scalar: s}, {Kind: KindObject, Keys: []Text{{Value: "x"}}, Items: []*Data{{Scalar: s}}}}},
		}}
		got, err := Rewrite("t.yaml", []byte("a: 1 # one\nb: 2 # two\n"), want)
		if err != nil {
			if _, bad := cleanText("t", []byte(s)); bad == nil && !strings.ContainsAny(s, "\r") {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		read, err := ParseData("t.yaml", got)
		if err != nil || !reflect.DeepEqual(read.Value(), want.Value()) {
			t.Errorf("%q becomes %s", s, got)
		}
	})
}

// No text makes an edit panic, and a result parses to the wanted data.
func FuzzEditTools(f *testing.F) {
	for _, src := range []string{
		editable, "tools:\n- name: hello\n  nodes:\n  - id: a\n# x\n", "{tools: [{name: hello}]}", "tools: [{name: hello}, {name: b}] # c\n",
		"tools:\n  - &a {name: hello}\n  - *a\n", "x-a: &a {name: hello}\ntools: [*a]\n", "tools:\n  -\n    name: hello\n    ? nodes\n    : - a\n",
		"tools:\n  - name: hello\n    <<: {a: 1}\n    nodes: # c\n", "a: 1\r\ntools:\r\n  - name: hello\r\n", "tools:\n  - {name: hello,\n     b: c} # d\n  # e", "00A: &0\nA:", "\"tools\" : \n - 'name' : hello\n",
	} {
		f.Add(src)
	}
	tool := &Data{Kind: KindObject, Keys: []Text{{Value: "name"}, {Value: "nodes"}}, Items: []*Data{{Scalar: "hello"}, {Kind: KindArray, Items: []*Data{{Scalar: "a\nb"}}}}}
	f.Fuzz(func(t *testing.T, src string) {
		for _, edit := range []func() ([]byte, error){
			func() ([]byte, error) { return AddTool("g.yaml", []byte(src), tool.With("name", &Data{Scalar: "new"})) },
			func() ([]byte, error) { return ReplaceTool("g.yaml", []byte(src), "hello", tool) },
			func() ([]byte, error) { return DeleteTool("g.yaml", []byte(src), "hello") },
		} {
			if got, err := edit(); err == nil {
				if _, err := ParseData("g.yaml", got); err != nil {
					t.Errorf("%q becomes %q: %v", src, got, err)
				}
			}
		}
	})
}

// An item that is written anew keeps the comments beside and in it.
func TestRewriteKeepsCommentsOfItems(t *testing.T) {
	const src = `list:
  # Above.
  - {id: a, k: 1}   # beside braces
  - two # beside a text
  - {id: c, # inside
     k: 1} # behind
  - [1, 2] # beside brackets
  - "x" # wide
`
	const json = `{"list": [{"id": "a", "k": 2}, "deux", {"id": "c", "k": 2}, [1, 3], "LONG"]}`
	const want = `list:
  # Above.
  - {id: a, k: 2} # beside braces
  - deux # beside a text
  # behind; inside
  - id: c
    k: 2
  - [1, 3] # beside brackets
  # wide
  - LONG
`
	long := strings.Repeat("long ", 20)
	for _, end := range []string{"\n", "\r\n"} {
		got, err := Rewrite("l.yaml", []byte(strings.ReplaceAll(src, "\n", end)), parsed(t, strings.ReplaceAll(json, "LONG", long)))
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, strings.ReplaceAll(strings.ReplaceAll(want, "LONG", `"`+long+`"`), "\n", end))
	}
}

// The comments of keys and items that are left out stay where what they had goes, or above what follows; Rewrite drops them.
func TestRestructure(t *testing.T) {
	const src = `top: # of all
  # the first
  - id: a
    # the old one
    old: {value: "# no comment"} # beside it
    # the last
    gone: 1 # not used
    kept: |
      # a text
  # left out
  - id: b # nothing
    x: 1
  # the third
  - id: c
`
	root, err := ParseData("f.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	items := root.Get("top").Items
	a := items[0].With("old", nil).With("gone", nil).With("new", items[0].Get("old").Get("value"))
	want := root.With("top", NewList(a, items[2]))
	got, err := Restructure("f.yaml", []byte(src), want)
	if err != nil {
		t.Fatal(err)
	}
	const expected = `top: # of all
  # the first
  - id: a
    # the last
    # not used
    kept: |
      # a text
    # the old one
    # beside it
    new: "# no comment"
  # left out
  # nothing
  # the third
  - id: c
`
	if string(got) != expected {
		t.Errorf("found\n%s", got)
	}
	if got, err := Rewrite("f.yaml", []byte(src), want); err != nil || strings.Contains(string(got), "left out") || strings.Contains(string(got), "beside it") {
		t.Errorf("%v\n%s", err, got)
	}
}
