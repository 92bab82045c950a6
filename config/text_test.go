package config

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// scalars are all scalars of a YAML text, keys included.
func scalars(t testing.TB, yamlText string) []Text {
	t.Helper()
	root, found := readItems("g.yaml", []byte(yamlText))
	if root == nil {
		t.Fatalf("%q: %v", yamlText, found)
	}
	return textsIn(root, nil)
}

func textsIn(it *item, all []Text) []Text {
	if it.kind == itemScalar {
		return append(all, it.text)
	}
	for i, child := range it.items {
		if it.kind == itemMapping {
			all = append(all, it.keys[i])
		}
		all = textsIn(child, all)
	}
	return all
}

type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkPlaces holds that every rune of a value stands where At says: verbatim, or as
// an escape, a doubled quote or a folded line end.
func checkPlaces(t fataler, text Text) {
	t.Helper()
	at, _, ok := text.trace()
	if !ok {
		t.Fatalf("%q at %v was not read again from %q", text.Value, text.Pos, text.src.data)
	}
	places := text.Places() // as they are asked for: in order, and then not
	for i, r := range text.Value {
		rest := text.src.data[at[i]:]
		there, _ := utf8.DecodeRune(rest)
		switch {
		case there == r:
		case r == '\n' || r == ' ':
			if breakSize(rest, 0) == 0 && there != '\\' {
				t.Fatalf("%q[%d] = %q stands at %q", text.Value, i, r, rest)
			}
		case there != '\\' || text.style != styleDouble:
			t.Fatalf("%q[%d] = %q stands at %q", text.Value, i, r, rest)
		}
		if i > 0 && at[i] < at[i-1] {
			t.Fatalf("%q: the place of byte %d is before that of the one before", text.Value, i)
		}
		if want := text.src.pos(at[i]); text.At(i) != want {
			t.Fatalf("At(%d) = %v, expected %v", i, text.At(i), want)
		} else if got := places.At(i); got != want {
			t.Fatalf("the place of byte %d is %v when it is asked for in order, expected %v", i, got, want)
		}
	}
	for i := len(text.Value) - 1; i >= 0; i -= 3 {
		if got := places.At(i); got != text.At(i) {
			t.Fatalf("the place of byte %d is %v when it is asked for backwards, expected %v", i, got, text.At(i))
		}
	}
}

func TestTextAt(t *testing.T) {
	tests := []struct {
		name, yaml string
		key        int // which scalar
		find       string
		line, col  int
	}{
		{"plain", "a: $.x.y + z\n", 1, "z", 1, 12},
		{"plain folded", "a: one\n  two\n\n  three\n", 1, "three", 4, 3},
		{"single", "a: 'it''s here'\n", 1, "here", 1, 11},
		{"single folded", "a: 'one\n  two'\n", 1, "two", 2, 3},
		{"double", `a: "x\n\"y\" \u00e4 z"`, 1, "z", 1, 21},
		{"double continued", "a: \"one\\\n   two\"\n", 1, "two", 2, 4},
		{"literal", "a: |\n  one\n   two\n", 1, "two", 3, 4},
		{"literal indented", "a:\n  b: |2-\n      one\n    two\n", 2, "two", 4, 5},
		{"literal in a list", "- - |1\n    one\n   two\n", 0, "two", 3, 4},
		{"literal below blank lines", "a: |\n\n\n  one\n", 1, "one", 4, 3},
		{"folded", "a: >-\n  one\n  two\n\n  three\n    four\n", 1, "four", 6, 5},
		{"crlf", "a: |\r\n  one\r\n  two\r\n", 1, "two", 3, 3},
		{"tab in a block", "a: |\n  one\n  \ttwo\n", 1, "two", 3, 4},
		{"beyond the basic plane", "a: \"😀é x\"\n", 1, "x", 1, 8},
		{"anchor", "a: &name\n  'x y'\n", 1, "y", 2, 6},
		{"mark at the start", "\ufeffa: x y\n", 1, "y", 1, 6},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := scalars(t, test.yaml)[test.key]
			checkPlaces(t, text)
			offset := strings.Index(text.Value, test.find)
			if got := text.At(offset); offset < 0 || got.Line != test.line || got.Column != test.col {
				t.Errorf("%q at %d of %q is %v, expected %d:%d", test.find, offset, text.Value, got, test.line, test.col)
			}
			end := strings.Index(test.yaml, test.find) + len(test.find)
			if !strings.HasSuffix(strings.TrimRight(text.Value, "\n"), test.find) {
				return
			}
			if got := text.At(len(strings.TrimRight(text.Value, "\n"))); got != newSource("g.yaml", []byte(strings.TrimPrefix(test.yaml, "\ufeff"))).pos(end-len(test.yaml)+len(strings.TrimPrefix(test.yaml, "\ufeff"))) {
				t.Errorf("the end is %v", got)
			}
		})
	}
}

func TestTextAtOutside(t *testing.T) {
	text := scalars(t, "a: 'bc'\n")[1]
	for offset, column := range map[int]int{-1: 5, 0: 5, 2: 7, 100: 7} {
		if got := text.At(offset); got.Column != column {
			t.Errorf("At(%d) = %v, expected column %d", offset, got, column)
		}
	}
	if got := (Text{Value: "x", Pos: Pos{Line: 3, Column: 2}}).At(1); got.Line != 3 || got.Column != 2 {
		t.Errorf("a text of no file stands at %v", got)
	}
	if text != scalars(t, "a: 'bc'\n")[1] && text == (Text{}) {
		t.Error("texts cannot be compared")
	}
}

// TestTextAtEveryStyle writes the same lines in every style.
func TestTextAtEveryStyle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-zé😀$.(]{1,4}( [a-z'"]{1,3})?`)
		lines := rapid.SliceOfN(rapid.OneOf(word, rapid.Just("")), 1, 6).Draw(t, "lines")
		indent := strings.Repeat(" ", rapid.IntRange(1, 4).Draw(t, "indent"))
		newline := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
		lines[0] = "x" + lines[0]
		body := strings.Join(lines, newline+indent)
		chomp := rapid.SampledFrom([]string{"", "-", "+"}).Draw(t, "chomp")
		for _, source := range []string{
			"a: " + strings.ReplaceAll(body, "'", "") + newline,
			"a: '" + strings.ReplaceAll(body, "'", "''") + "'" + newline,
			`a: "` + strings.ReplaceAll(body, `"`, `\"`) + `"` + newline,
			"a: |" + chomp + newline + indent + body + newline + newline,
			"a: >" + chomp + newline + indent + body + newline,
			"- b:" + newline + "   - >" + newline + "    " + indent + strings.ReplaceAll(body, newline, newline+"    ") + newline,
		} {
			root, _ := readItems("g.yaml", []byte(source))
			if root == nil {
				continue // what a style cannot write is not YAML
			}
			for _, text := range textsIn(root, nil) {
				checkPlaces(t, text)
			}
		}
	})
}

func FuzzTextAt(f *testing.F) {
	for _, seed := range []string{
		"a: b\n  c\n", "'a\n\n b''c'", "\"a\\\n  b\\x41 \\\n\n c\"", "- |2\n    a\n\n   b\n", "- >+\n  a\n   b\n\n  c\n\n", "? |\n  a\n: >\n\n  b\n",
		"a: &x |\n b\nc: *x\n", "{a: 'b', \"c\": [d e, f]}", "a: |\r\n\r\n  b\r\n", "a: |\n\t\n  b\n", "a:\n - - >1-\n    b\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		root, found := readItems("g.yaml", data)
		if root == nil || found != nil { // what is refused needs no places inside
			return
		}
		for _, text := range textsIn(root, nil) {
			checkPlaces(t, text)
		}
	})
}

// A part of a text is replaced as the text is written: escaped in quotes, and in quotes where it needs
// them. The places count a byte order mark.
func TestReplaced(t *testing.T) {
	for _, c := range []struct{ src, old, text, want string }{
		{"a: one two", "one", "x", "a: x two"},
		{"a: one two", "one", "`x`", "a: \"`x` two\""},
		{"a: one two", "two", "x y", "a: one x y"},
		{"a: one", "one", "true", "a: \"true\""},
		{"a: one", "one", "12", "a: \"12\""},
		{"a: one # c", "one", "#x", "a: \"#x\" # c"},
		{"{a: one}", "one", "a, b", "{a: \"a, b\"}"},
		{"a: 'one''s two'", "two", "it's", "a: 'one''s it''s'"},
		{"a: 'one''s two'", "'", "X", "a: 'oneXs two'"},
		{`a: "\x6fne two"`, "one", `"q\`, `a: "\"q\\ two"`},
		{"a: |\n  one\n  two\nb: c", "two", "'x'", "a: |\n  one\n  'x'\nb: c"},
		{"a: >-\n  one\n  two", "one two", "x", "a: >-\n  x"},
		{"\ufeffa: one", "one", "two", "\ufeffa: two"},
		{"k: [one, one]", "one", "two", "k: [two, one]"},
	} {
		root, _ := ParseWritten("x.yaml", []byte(c.src))
		text := root.Items[0].Text
		if root.Items[0].Kind == KindArray {
			text = root.Items[0].Items[0].Text
		}
		at := strings.Index(text.Value, c.old)
		edits, ok := text.Replaced(Replacement{From: at, To: at + len(c.old), Text: c.text})
		if got := string(Apply([]byte(c.src), edits)); !ok || got != c.want {
			t.Errorf("%q: %q, want %q", c.src, got, c.want)
		}
	}
	if _, ok := (Text{Value: "a"}).Replaced(Replacement{To: 1}); ok {
		t.Error("a text that is not in a file was replaced")
	}
}
