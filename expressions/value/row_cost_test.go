package value

import (
	"bytes"
	"fmt"
	"testing"

	"toolgraph/internal/base/cost"
)

// manyItems returns a document of n items with one list of keys.
func manyItems(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"items":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"group":"g%d","value":%d,"name":"item %07d","note":"forty bytes of text that no one reads."}`, i+5000, i%16, i*7919%1000, i)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}

// A large document of objects takes about half of its length beside its text, where a tree of them takes six times that much.
func TestLargeTakesItsLength(t *testing.T) {
	doc := manyItems(10_000)
	var got Value
	cost.Below(t, uint64(len(doc)), func() { got, _ = DecodeInPlace(doc) })
	// Objects in objects share their keys.
	nested := bytes.ReplaceAll(doc, []byte(`"group":`), []byte(`"more":[],"group":`))
	cost.Below(t, 4*uint64(len(nested)), func() { got, _ = DecodeInPlace(nested) })
	// Encoding copies text that is written as it would be written.
	got, _ = DecodeInPlace(doc)
	dst := make([]byte, 0, len(doc))
	if used := testing.AllocsPerRun(1, func() { dst, _ = Append(dst[:0], got) }); used > 100 || !bytes.Equal(dst, doc) {
		t.Errorf("encoding took %v allocations", used)
	}
}

// Documents whose objects have no key in common take no more than a tree does.
func TestLargeOfOddObjects(t *testing.T) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i := range 20_000 {
		fmt.Fprintf(&b, `{"k%d":%d},`, i, i)
	}
	b.WriteString("{}]")
	doc := b.Bytes()
	tree := cost.Of(func() { _, _ = decodeAs(doc, false) }).Bytes
	cost.Below(t, tree+tree/4, func() { _, _ = decodeAs(doc, true) })
}

// A Map that shares its keys gets its own before they change.
func TestSharedKeysStay(t *testing.T) {
	doc := []byte(`[{"a":[],"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1},{"a":[],"b":2,"c":2,"d":2,"e":2,"f":2,"g":2,"h":2,"i":2}]`)
	got, err := decodeAs(doc, true)
	if err != nil {
		t.Fatal(err)
	}
	items := got.([]any)
	one, other := items[0].(*Map), items[1].(*Map)
	if &one.keys[0] != &other.keys[0] {
		t.Fatal("the keys are not shared")
	}
	one.Set("j", 3.0)
	one.Delete("a")
	if text := encodeText(t, other); text != `{"a":[],"b":2,"c":2,"d":2,"e":2,"f":2,"g":2,"h":2,"i":2}` {
		t.Errorf("the other is %s", text)
	}
	if v, has := other.Get("j"); has {
		t.Errorf("the other has %v", v)
	}
	if text := encodeText(t, one); text != `{"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":3}` {
		t.Errorf("the object is %s", text)
	}
}
