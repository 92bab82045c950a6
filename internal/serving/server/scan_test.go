package server

import (
	"bytes"
	"encoding/json"
	"strconv"
	"testing"
	"unicode/utf8"

	"toolgraph/expressions/value"
)

// FuzzParse: what the scanner takes is JSON, and the fields that it notes are those
// that an exact reading of the keys gives. What it refuses as no JSON is none.
func FuzzParse(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":[1,-0.5e+10,null,true,false,"\u00e9\n"]},"_meta":{"progressToken":"t"}}}`,
		`{"jsonrpc":"2.0","id":"a","result":{}}`, `[]`, `{`, `{"a":1,"a":2}`, `{"Id":1}`, `"\ud800"`, `01`, `1.`, `-`, `1e`, "{\"a\x00\":1}", `{"a":1,}`, `[1,]`, ` { } `,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var m message
		_, fault := m.parse(line, nil)
		valid := json.Valid(line) && utf8.Valid(line)
		if fault == nil && !valid {
			t.Fatalf("taken, but no JSON: %q", line)
		}
		if fault != nil && fault.code == codeParse && valid && !bytes.Contains(line, bytes.Repeat([]byte("["), 400)) &&
			m.depth < value.MaxDepth && len(line) < value.MaxDepth {
			t.Fatalf("refused, but JSON: %q: %v", line, fault)
		}
		if fault != nil || m.method == nil {
			return
		}
		var exact map[string]json.RawMessage
		if err := json.Unmarshal(line, &exact); err != nil {
			t.Fatal(err)
		}
		var params map[string]json.RawMessage
		if m.params != nil {
			if err := json.Unmarshal(exact["params"], &params); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(m.id, exact["id"]) || !bytes.Equal(m.method, exact["method"]) || !bytes.Equal(m.arguments, params["arguments"]) {
			t.Fatalf("noted id %s method %s arguments %s of %s", m.id, m.method, m.arguments, line)
		}
	})
}

func TestM02ManyKeys(t *testing.T) {
	var line bytes.Buffer
	line.WriteString(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":{`)
	for i := range 200000 {
		if i > 0 {
			line.WriteByte(',')
		}
		line.WriteString(`"k` + string(rune('a'+i%26)) + json.Number(strconv.Itoa(i)).String() + `":0`)
	}
	fine := line.String() + `}}}`
	var m message
	if _, fault := m.parse([]byte(fine), nil); fault != nil {
		t.Fatal(fault)
	}
	m = message{}
	if _, fault := m.parse([]byte(line.String()+`,"ka0":1}}}`), nil); fault == nil || fault.code != codeInvalidRequest {
		t.Fatalf("got %v", fault)
	}
}
