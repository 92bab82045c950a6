package mcpclient

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/cost"
)

// items returns the JSON of an object with n items.
func items(n int) string {
	var b strings.Builder
	b.WriteString(`{"items":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"group":"g%d","note":"forty bytes of text that no one reads."}`, i+5000, i%16)
	}
	return b.String() + "]}"
}

// A large result is not copied: as structuredContent it takes less than its length, as text hardly more than its text once.
func TestLargeResultsAreNotCopied(t *testing.T) {
	if testing.Short() {
		t.Skip("bytes are counted, and the race detector's runs, which are short, allocate more")
	}
	doc := items(10_000)
	want := uint64(len(doc))
	for form, raw := range map[string][]byte{
		"structured": []byte(`{"content":[{"type":"text","text":"see structuredContent"}],"structuredContent":` + doc + `,"isError":false}`),
		"text":       []byte(`{"content":[{"type":"text","text":` + string(value.AppendString(nil, doc)) + `}]}`),
	} {
		var got result
		limit := want
		if form == "text" {
			limit = 5 * want / 2
		}
		cost.Below(t, limit, func() {
			var err error
			if got, err = readResult(raw, false); err != nil {
				t.Fatal(err)
			}
		})
		if text, err := value.Encode(got.value); err != nil || string(text) != doc {
			t.Errorf("%s: %.100s, %v", form, text, err)
		}
	}
}

// A result in which a large structuredContent is not what it seems is read as a small one is.
func TestLargeResults(t *testing.T) {
	doc := items(3_000)
	pad := `"pad":"` + strings.Repeat("p", 2*len(doc)) + `"`
	for name, c := range map[string]struct{ raw, want, failed string }{
		"last":      {`{"structuredContent":` + doc + `}`, doc, ""},
		"first":     {`{"structuredContent":` + doc + `,"content":[]}`, doc, ""},
		"twice":     {`{"structuredContent":` + doc + `,"structuredContent":{"a":1}}`, `{"a":1}`, ""},
		"null":      {`{"structuredContent":` + doc + `,"structuredContent":null,"content":[{"type":"text","text":"t"}]}`, `"t"`, ""},
		"array":     {`{"structuredContent":[` + doc + `]}`, `[` + doc + `]`, ""},
		"small":     {`{` + pad + `,"structuredContent":` + doc + `}`, doc, ""},
		"invalid":   {`{"structuredContent":` + doc[:len(doc)-2] + `,01]}}`, "", "structuredContent: invalid JSON at byte"},
		"trailing":  {`{"structuredContent":` + doc + ` x}`, "", "not a JSON object"},
		"truncated": {`{"structuredContent":` + doc[:len(doc)-3], "", "not a JSON object"},
	} {
		r, err := readResult([]byte(c.raw), false)
		if c.failed != "" {
			if err == nil || !strings.Contains(err.Error(), c.failed) {
				t.Errorf("%s: %v, want %s", name, err, c.failed)
			}
			continue
		}
		if text, encodeErr := value.Encode(r.value); err != nil || encodeErr != nil || string(text) != c.want {
			t.Errorf("%s: %.100s, %v, want %.100s", name, text, err, c.want)
		}
	}
	r, err := readResult([]byte(`{"structuredContent":`+doc+`,"isError":true}`), false)
	if err != nil || !r.failed || string(r.structured) != doc {
		t.Errorf("a failed one: %v, %v, %.100s", r.failed, err, r.structured)
	}
	r, err = readResult([]byte(`{"structuredContent":`+doc+`,"content":[{"type":"text","text":"t"}]}`), true)
	if err != nil || r.value != "t" {
		t.Errorf("as text: %.100v, %v", r.value, err)
	}
}

// A value that is a small part of its message does not have the message in memory.
func TestSmallPartsHoldNoMessage(t *testing.T) {
	doc := items(3_000)
	raw := []byte(`{"pad":"` + strings.Repeat("p", 2*len(doc)) + `","structuredContent":` + doc + `}`)
	message := weak.Make(&raw[0])
	r, err := readResult(raw, false)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	if message.Value() != nil {
		t.Error("the message is in memory")
	}
	runtime.KeepAlive(r.value)
}

// A stopped watch does not hold what its context refers to, though the runtime may keep its timer.
func TestStoppedWatchHoldsNothing(t *testing.T) {
	type key struct{}
	for range 200 { // among so many the runtime keeps stopped ones
		defer time.AfterFunc(time.Hour, func() {}).Stop()
	}
	var held []weak.Pointer[[1 << 10]byte]
	for range 20 {
		body := new([1 << 10]byte)
		held = append(held, weak.Make(body))
		_, stop := startWatch(context.WithValue(context.Background(), key{}, body), time.Hour, systemClock())
		stop()
	}
	runtime.GC()
	for i, p := range held {
		if p.Value() != nil {
			t.Fatalf("watch %d holds its call", i)
		}
	}
}
