package value

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A large document has the values, the errors and the sizes of the same document decoded as a small one.
func TestLargeIsAsSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		g := &documents{r: r}
		doc := []byte(g.document())
		checkLarge(t, doc)
		if i%3 == 0 && len(doc) > 0 { // damaged
			at := r.IntN(len(doc))
			checkLarge(t, doc[:at])
			doc[at] = "\"\\{}[],:0x\x00\xff e-"[r.IntN(15)]
			checkLarge(t, doc)
		}
	}
}

// Objects with a long text at any place are as in a small document.
func TestLargeWithLongTexts(t *testing.T) {
	for _, n := range []int{mostRow - 20, mostRow, mostRow + 1, 1 << 16, 1<<16 + 1} {
		long := `"` + strings.Repeat("x", n) + `"`
		checkLarge(t, []byte(`[{"a":1,"b":`+long+`},{"a":`+long+`,"b":1},{"a":[],"b":`+long+`}]`))
		checkLarge(t, []byte(`[{"a":1,"b":"`+strings.Repeat(`\u00e9`, n/6)+`"},{"a":"`+strings.Repeat("\xff", n)+`","b":1}]`))
	}
}

func FuzzLarge(f *testing.F) {
	g := &documents{r: rand.New(rand.NewPCG(3, 4))}
	for range 20 {
		f.Add([]byte(g.document()))
	}
	for _, doc := range []string{`[{"a":1,"a":2},{"a":-0,"b":1e400}]`, `[{"a":1e1000}]`, `{"a":{"b":"\ud83d"},"\u0061":"\u0000"}`, "[{\"a\":\"\xff\"}]", `[{"a" :1 , "b": [{}]}]`} {
		f.Add([]byte(doc))
	}
	f.Fuzz(checkLarge)
}

// checkLarge compares the two ways to decode a document.
func checkLarge(t *testing.T, doc []byte) {
	t.Helper()
	want, wantErr := decodeAs(doc, false)
	got, err := decodeAs(doc, true)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("%q: %v, want %v", doc, err, wantErr)
	}
	if err != nil {
		return
	}
	sameTree(t, got, want)
	text := encodeText(t, want)
	if again := encodeText(t, got); again != text {
		t.Fatalf("%q: encoded as %s, want %s", doc, again, text)
	}
	if Size(got) != len(text) {
		t.Fatalf("%q: size %d, want %d", doc, Size(got), len(text))
	}
	for _, most := range []int{0, 1, len(text) / 3, len(text) - 1, len(text), 2 * len(text)} {
		most = max(most, 0)
		m, m2 := Until(context.Background()), Until(context.Background())
		size, within := SizeWithin(m, got, most)
		wantSize, wantWithin := SizeWithin(m2, want, most)
		if size != wantSize || within != wantWithin || m.Steps() != m2.Steps() {
			t.Fatalf("%q: within %d: %d, %v after %d steps, want %d, %v after %d", doc, most, size, within, m.Steps(), wantSize, wantWithin, m2.Steps())
		}
		m, m2 = Until(context.Background()), Until(context.Background())
		part, err := AppendMost(m, []byte("x"), got, most)
		wantPart, wantErr := AppendMost(m2, []byte("x"), want, most)
		if string(part) != string(wantPart) || !errors.Is(err, wantErr) || m.Steps() != m2.Steps() {
			t.Fatalf("%q: at most %d: %q, %v after %d steps, want %q, %v after %d", doc, most, part, err, m.Steps(), wantPart, wantErr, m2.Steps())
		}
	}
	one, _ := Digest(nil, got)
	other, _ := Digest(nil, want)
	if one != other || !Same(got, want) || !Same(want, got) || !Same(got, got) {
		t.Fatalf("%q: not the same", doc)
	}
}

// decodeAs is Decode of a document as a large or a small one.
func decodeAs(doc []byte, asLarge bool) (Value, error) {
	d := decoder{Scanner: NewScanner(doc), text: string(doc)}
	if asLarge {
		d.large = newLarge()
	}
	v, err := d.value(0)
	if err == nil {
		err = d.End()
	}
	return v, err
}

// sameTree compares values and their Go types, apart from that of objects.
func sameTree(t *testing.T, got, want Value) {
	t.Helper()
	switch want := want.(type) {
	case []any:
		items, _ := got.([]any)
		if len(items) != len(want) || items == nil {
			t.Fatalf("%v, want %v", got, want)
		}
		for i := range want {
			sameTree(t, items[i], want[i])
		}
	case Object:
		object, _ := got.(Object)
		if object == nil || !slices.Equal(object.Keys(), want.Keys()) || object.Len() != want.Len() {
			t.Fatalf("%v, want %v", got, want)
		}
		for _, key := range append(slices.Clone(want.Keys()), "absent", "") {
			item, has := object.Get(key)
			wantItem, wantHas := want.Get(key)
			if has != wantHas {
				t.Fatalf("%q of %v: %v, want %v", key, got, has, wantHas)
			}
			sameTree(t, item, wantItem)
		}
	default:
		if got != want {
			t.Fatalf("%#v, want %#v", got, want)
		}
	}
}

// documents makes JSON documents with what decoders get wrong.
type documents struct{ r *rand.Rand }

func (g *documents) document() string {
	var b strings.Builder
	g.value(&b, 0)
	return b.String()
}

func (g *documents) pick(from ...string) string { return from[g.r.IntN(len(from))] }

func (g *documents) space(b *strings.Builder) {
	if g.r.IntN(40) == 0 {
		b.WriteString(g.pick(" ", "\n", "\t ", "\r\n"))
	}
}

func (g *documents) value(b *strings.Builder, depth int) {
	kind := g.r.IntN(10)
	switch {
	case depth < 5 && (kind < 3 || depth == 0):
		b.WriteByte('[')
		n := g.r.IntN(12)
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			g.space(b)
			g.value(b, depth+1)
			g.space(b)
		}
		b.WriteByte(']')
	case depth < 7 && kind < 8:
		g.object(b, depth)
	default:
		g.scalar(b)
	}
}

func (g *documents) object(b *strings.Builder, depth int) {
	keys := []string{"a", "b", "c", "id", "name", "", `\u0061`, "é", "a long key of an object", `q\"`}
	if n := g.r.IntN(30); n < 2 { // more than are searched one by one, or than share their keys
		for i := range 5 + 70*n {
			keys = append(keys, fmt.Sprint("k", i))
		}
	} else if n < 20 {
		keys = keys[:3]
	}
	b.WriteByte('{')
	count := 0
	for _, key := range keys {
		if g.r.IntN(8) == 0 {
			continue
		}
		if g.r.IntN(50) == 0 {
			key = "b" // perhaps again
		}
		if count++; count > 1 {
			b.WriteByte(',')
		}
		g.space(b)
		b.WriteString(`"` + key + `"`)
		g.space(b)
		b.WriteByte(':')
		g.space(b)
		if g.r.IntN(12) == 0 {
			g.value(b, depth+1)
		} else {
			g.scalar(b)
		}
		g.space(b)
	}
	b.WriteByte('}')
}

func (g *documents) scalar(b *strings.Builder) {
	switch g.r.IntN(12) {
	case 0:
		b.WriteString(g.pick("true", "false", "null"))
	case 1:
		b.WriteString(g.pick("0", "-0", "-0.0", "1.0", "1e3", "1E-7", "1e400", "1e1000", "1e0999", "0.1", "0.10", "0.000001", "0.0000012", "-0.5",
			"9007199254740992", "9007199254740993", "-9007199254740993", "123456789012345678901234567890", "999999999999999.5", "0.30000000000000004",
			"123456789.12345678", "12345678901234.5", "5e-324", "1e21", "1e20", "100", "-1", "-17.25", "-123456789012345", "1e-400", "01", "1.", "-"))
	case 2:
		fmt.Fprintf(b, "%d", g.r.IntN(2000)-1000)
	case 3:
		fmt.Fprintf(b, "%.*f", g.r.IntN(18), g.r.Float64()*1000-500)
	case 4:
		b.WriteString(`"` + g.pick(`\n`, `\"`, `\\`, `\/`, `\u0041`, `\ud83d\ude00`, `\ud83d`, `\ude00x`, "\xff", "é", "日本語のテキスト", "a\xc3", "\u2028", "\x7f", `\x`, "\x01") + `"`)
	case 5:
		b.WriteString(`"` + strings.Repeat(g.pick("a", "ab ", `\"`, "é", "x\xff"), g.r.IntN(3000)) + `"`)
	default:
		b.WriteString(`"` + strings.Repeat("text ", g.r.IntN(5)) + `"`)
	}
}

// Text of a large document that is not ASCII is decoded as text that is, in one pass.
func TestUnescape(t *testing.T) {
	for _, raw := range []string{"", "a", "plain text of some length", "日本語のテキストとても長い", "a\xc3", "\xff\xfe long enough for eight", "eight by" + "\xe6\x97", `x\ny`, "日本\\n語\\u00e9"} {
		quoted := []byte(`"` + raw + `"`)
		s := NewScanner(quoted)
		inner, _, err := s.Quoted()
		if err != nil {
			t.Fatal(err)
		}
		var want []rune
		for _, r := range strings.NewReplacer(`\n`, "\n", `\u00e9`, "é").Replace(raw) { // ranging replaces what is not UTF-8
			want = append(want, r)
		}
		if got := Unescape(inner); got != string(want) {
			t.Errorf("%q is %q, want %q", raw, got, string(want))
		}
	}
}
