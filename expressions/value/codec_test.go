package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func decodeText(t testing.TB, text string) Value {
	t.Helper()
	v, err := Decode([]byte(text))
	if err != nil {
		t.Fatalf("Decode(%.80q): %v", text, err)
	}
	return v
}

func encodeText(t testing.TB, v Value) string {
	t.Helper()
	text, err := Encode(v)
	if err != nil {
		t.Fatalf("Encode: %v", err)
	}
	return string(text)
}

func TestDecodeEncodeKeepsText(t *testing.T) {
	for _, text := range []string{
		`null`, `true`, `false`, `0`, `-1`, `1.5`, `1e+21`, `1e-7`, `0.000001`, `123456789012345680000`,
		`9007199254740993`, `-9007199254740993`, `123456789012345678901234567890`,
		`""`, `"a"`, `"é"`, `"😀"`, `"\u0000\b\f\n\r\t\"\\/"`, `"<&>"`, `[]`, `{}`, `[[],{}]`,
		`{"z":1,"a":{"y":[1,2,{"b":null,"a":""}],"x":false}}`, `{"":0," ":1}`,
	} {
		if got := encodeText(t, decodeText(t, " "+text+"\n")); got != text {
			t.Errorf("%s came back as %s", text, got)
		}
	}
}

func TestDecodeNormalises(t *testing.T) {
	for text, want := range map[string]string{
		`-0`: `0`, `-0.0`: `0`, `1.0`: `1`, `1e3`: `1000`, `1E400`: `1E400`, `1e1000`: "", `1e0999`: `1e0999`, `9007199254740992`: `9007199254740992`,
		`1e-400`: `0`, `"\ud83d\ude00"`: `"😀"`, `"\ud83d"`: "\"\uFFFD\"", `"\ude00x"`: "\"\uFFFDx\"",
		`"\ud83d\u0041"`: "\"\uFFFDA\"", "\"\xff\"": "\"\uFFFD\"", "\"a\xc3\"": "\"a\uFFFD\"", `"\/"`: `"/"`,
		`{"a":1,"b":2,"a":3}`: `{"a":3,"b":2}`, "\"\u2028\"": "\"\u2028\"",
	} {
		v, err := Decode([]byte(text))
		if want == "" {
			if err == nil {
				t.Errorf("Decode(%q) gave %v, want an error", text, v)
			}
			continue
		}
		if err != nil {
			t.Errorf("Decode(%q): %v", text, err)
			continue
		}
		if got := encodeText(t, v); got != want {
			t.Errorf("Decode(%q) is %s, want %s", text, got, want)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for text, offset := range map[string]int{
		``: 0, ` `: 1, `{`: 1, `[`: 1, `[1`: 2, `[1,`: 3, `[1,]`: 3, `{"a"`: 4, `{"a":`: 5, `{"a":1,}`: 7, `{a:1}`: 1,
		`01`: 0, `-`: 1, `-a`: 1, `1.`: 2, `1e`: 2, `+1`: 0, `.5`: 0, `NaN`: 0, `nul`: 0, `tru`: 0, `"`: 1, `"\x"`: 2,
		`"\u12"`: 5, "\"\n\"": 1, `1 2`: 2, `{} x`: 3, `'a'`: 0, "\ufeff1": 0,
	} {
		_, err := Decode([]byte(text))
		var decodeErr *DecodeError
		if !errors.As(err, &decodeErr) {
			t.Errorf("Decode(%q): %v, want a *DecodeError", text, err)
			continue
		}
		if decodeErr.Offset != offset {
			t.Errorf("Decode(%q): %v, want byte %d", text, err, offset)
		}
	}
}

func TestDecodeDepth(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	if got := encodeText(t, decodeText(t, deep)); got != deep {
		t.Error("the deepest allowed nesting changed")
	}
	for _, text := range []string{"[" + deep + "]", strings.Repeat("[", 1e6), strings.Repeat(`{"a":`, 1e6)} {
		if _, err := Decode([]byte(text)); err == nil {
			t.Errorf("Decode of %d nested values succeeded", len(text))
		}
	}
	var v Value = []any{}
	for range MaxDepth {
		v = []any{v}
	}
	if _, err := Encode(v); err == nil {
		t.Error("Encode of more than MaxDepth levels succeeded")
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, v := range []Value{math.NaN(), math.Inf(1), math.Inf(-1), func() {}, []any{math.NaN()}, map[string]any{"a": math.Inf(1)}} {
		if out, err := Append([]byte("x"), v); err == nil || string(out) != "x" {
			t.Errorf("Append(%v) = %q, %v", v, out, err)
		}
	}
}

func TestPlainAndBack(t *testing.T) {
	v := decodeText(t, `{"b":[1,null,"x",{"c":true}],"a":9007199254740993}`)
	plain := Plain(v)
	want := map[string]any{"b": []any{1.0, nil, "x", map[string]any{"c": true}}, "a": json.Number("9007199254740993")}
	if !reflect.DeepEqual(plain, want) {
		t.Fatalf("Plain is %#v", plain)
	}
	if got := encodeText(t, FromPlain(plain)); got != `{"a":9007199254740993,"b":[1,null,"x",{"c":true}]}` {
		t.Errorf("FromPlain is %s", got)
	}
	got := encodeText(t, FromPlain([]any{
		int8(-3), uint64(math.MaxUint64), float32(0.5), nil, math.NaN(),
		[]string{"a"},
		struct{ B, A int }{1, 2},
		make(chan int), json.Number("1e3"), json.Number("x"),
	}))
	if got != `[-3,18446744073709551615,0.5,null,null,["a"],{"B":1,"A":2},null,1000,null]` {
		t.Errorf("FromPlain is %s", got)
	}
}

func TestNewObject(t *testing.T) {
	v := NewObject([]string{"z", "a", "z", "n"}, []Value{1.0, "x", 2.0})
	if got := encodeText(t, v); got != `{"z":2,"a":"x","n":null}` {
		t.Errorf("NewObject is %s", got)
	}
}

func TestAppendString(t *testing.T) {
	for _, text := range []string{"", "a", "\"\\\n\r\t\b\x00\x1f\x7f", "é😀\u2028<>&", "bad \xff\xfe utf \xe2\x82", "\xf0\x9f"} {
		got := AppendString(nil, text)
		if again := AppendString(nil, []byte(text)); !bytes.Equal(got, again) {
			t.Errorf("%q: %s and %s", text, got, again)
		}
		var back string
		if err := json.Unmarshal(got, &back); err != nil || !utf8.Valid(got) {
			t.Errorf("%q: %s: %v", text, got, err)
		}
		if want := string([]rune(text)); back != want {
			t.Errorf("%q came back as %q", text, back)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5,-0,1e21,null,"\u00e9"]}`, `"\ud83d\ude00"`, `9007199254740993`, `[[[`, `{"a":1,"a":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		v, err := Decode(src)
		if err != nil {
			return
		}
		if !json.Valid(src) {
			t.Fatalf("%q is not JSON", src)
		}
		text, err := Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		if second := encodeText(t, again); second != string(text) {
			t.Fatalf("%s came back as %s", text, second)
		}
		if got := encodeText(t, FromPlain(Plain(v))); len(got) != len(text) {
			t.Fatalf("Plain and back made %s of %s", got, text)
		}
	})
}

// benchmarkDocument is a list of rows as upstream servers answer them, in bytes.
func benchmarkDocument(rows int) []byte {
	var b strings.Builder
	b.WriteString(`{"rows":[`)
	for i := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"id":` + mustText(i) + `,"name":"item number ` + mustText(i) + `","price":` + mustText(i%977) +
			`.25,"tags":["red","new"],"active":true,"sub":{"x":` + mustText(i%13) + `,"y":null}}`)
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}

func mustText(i int) string { b, _ := json.Marshal(i); return string(b) }

func BenchmarkDecode10MB(b *testing.B) {
	src := benchmarkDocument(92_000)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := Decode(src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode10MB(b *testing.B) {
	src := benchmarkDocument(92_000)
	v := decodeText(b, string(src))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := Encode(v); err != nil {
			b.Fatal(err)
		}
	}
}
