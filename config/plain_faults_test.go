package config

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

// plainOf returns an item as JSON would have it.
func plainOf(it *item) any {
	switch {
	case it == nil:
		return nil
	case it.kind == itemMapping:
		object := map[string]any{}
		for i, key := range it.keys {
			object[key.Value] = plainOf(it.items[i])
		}
		return object
	case it.kind == itemList:
		list := make([]any, len(it.items))
		for i, inner := range it.items {
			list[i] = plainOf(inner)
		}
		return list
	}
	return it.value()
}

// scalarsOf calls f for each scalar.
func scalarsOf(it *item, f func(Text)) {
	if it.kind == itemScalar {
		f(it.text)
	}
	for _, inner := range it.items {
		scalarsOf(inner, f)
	}
}

// An expression without quotes is read as js-yaml 4 and yaml 2 read it; testdata/plain.mjs makes
// the table. Each byte of it has its place.
func TestX18PlainScalars(t *testing.T) {
	table, err := os.ReadFile("testdata/plain.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	placed := 0
	for line := range bytes.Lines(table) {
		var row []any
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		src, _ := row[0].(string)
		root, found := readItems("g.yaml", []byte(src))
		errs, _ := found.Split()
		if len(row) == 1 {
			if errs == nil {
				t.Errorf("%q: got %v, both others refuse it", src, plainOf(root))
			}
			continue
		}
		var got any
		text, _ := json.Marshal(plainOf(root))
		if err := json.Unmarshal(text, &got); err != nil || errs != nil || !reflect.DeepEqual(got, row[1]) {
			t.Errorf("%q: got %s %v, want %v", src, text, found, row[1])
			continue
		}
		scalarsOf(root, func(text Text) {
			at := strings.Index(src, text.Value)
			if at < 0 || strings.Count(src, text.Value) > 1 {
				return // folded, or the same text twice
			}
			for i := range text.Value {
				column := 1 + len([]rune(src[:at+i])) - len([]rune(src[:1+strings.LastIndex(src[:at+i], "\n")]))
				if pos := text.At(i); pos.Column != column || pos.Line != 1+strings.Count(src[:at+i], "\n") {
					t.Errorf("%q: byte %d of %q is at %v, want column %d", src, i, text.Value, pos, column)
					return
				}
			}
			placed++
		})
	}
	if placed < 180 {
		t.Errorf("%d places checked, want 180", placed)
	}
}
