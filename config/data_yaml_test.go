package config

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestEncodeData(t *testing.T) {
	const src = `{"type":"object","required":["path","a b"],"properties":{"path":{"type":"string","description":"The path: a \"name\"."},` +
		`"no":{"enum":[1,true,null,"null","1",""]},"<<":{}},"list":[{"a":1,"b":[[1],[]]},"x"],"empty":[],"big":9007199254740993,` +
		`"hidden":"a\u200bb\n\u2028\U0001F600\u00a0"}`
	const want = `type: object
required: [path, a b]
properties:
  path:
    type: string
    description: "The path: a \"name\"."
  "no":
    enum: [1, true, null, "null", "1", ""]
  "<<": {}
list:
  - a: 1
    b:
      - [1]
      - []
  - x
empty: []
big: 9007199254740993
hidden: "a\u200Bb\n\u2028😀\u00A0"
`
	data, err := ParseData("x", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(EncodeData(data)); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := string(EncodeData(&Data{})); got != "null\n" {
		t.Errorf("nothing is written as %q", got)
	}
	long := `["` + strings.Repeat("long ", 20) + `"]`
	if data, err = ParseData("x", []byte(long)); err != nil || !bytes.HasPrefix(EncodeData(data), []byte("- \"long long")) {
		t.Errorf("a long list: %s %v", EncodeData(data), err)
	}
}

// What EncodeData writes, ParseData reads back to the same, in the same order.
func FuzzEncodeData(f *testing.F) {
	f.Add(`{"a":[1,"b",{"c":null}],"- x":"? y","d":" lead","e":"trail ","f":"a: b","g":"a #b"}`)
	f.Add(`[[[]],[{}],"no","~","-1","0x1f","1e5",".5","<<","=","!t","&a","*a","%x","@y","|",">",true]`)
	f.Add(`{"\u0000\u0085\ufeff":"\u202e\ud83d\ude00\\\"/'\u00a0"}`)
	f.Add(`{"it's (a) key;":"100%","$ref":"#/$defs/x","x/y":"a, b","on":"OFF"}`)
	f.Fuzz(func(t *testing.T, src string) {
		if !json.Valid([]byte(src)) {
			return
		}
		first, err := ParseData("x", jsonAsYAML([]byte(src)))
		if err != nil {
			return
		}
		written := EncodeData(first)
		second, err := ParseData("x", written)
		if longKey(first) {
			return
		}
		if err != nil {
			t.Fatalf("%q is written as\n%s\n%v", src, written, err)
		}
		if !bytes.Equal(first.JSON(), second.JSON()) {
			t.Fatalf("%s is read back as %s from\n%s", first.JSON(), second.JSON(), written)
		}
		if again := EncodeData(second); !bytes.Equal(again, written) {
			t.Fatalf("written\n%s, then\n%s", written, again)
		}
	})
}

func longKey(d *Data) bool {
	for _, k := range d.Keys {
		if len(k.Value) > 150 { // times the length of an escape
			return true
		}
	}
	for _, item := range d.Items {
		if longKey(item) {
			return true
		}
	}
	return false
}
