package results

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/cost"
)

// X02: what select yields is written up to the end of the page only, however often it holds the result.
func TestX02PageOfManyCopies(t *testing.T) {
	items := make([]any, 3000)
	for i := range items {
		items[i] = value.NewObject([]string{"id", "name"}, []value.Value{float64(i), fmt.Sprint("item number ", i)})
	}
	k, of := New(nil), fileOf("a-secret-of-some-length")
	of.Limits["a"] = 4096
	put(t, k, of, "1", items)
	for source, most := range map[string]uint64{
		`$map([1..2500], function($i){$$})`:                                                     8 << 20,
		`($d := function($n, $x){$n = 0 ? $x : $d($n - 1, {\"l\": $x, \"r\": $x})}; $d(24, $))`: 8 << 20,
	} {
		var got string
		cost.Below(t, most, func() { got = call(t, k, of, `{"uri":"run://1/result","select":"`+source+`"}`) })
		text, note, _ := strings.Cut(got, " | ")
		if len(text) < 3500 || len(text) > 4096 || !strings.Contains(text, `{"id":0,"name":"item number 0"},{"id":1`) || !strings.HasPrefix(note, "characters 0 to ") || !strings.Contains(note, "next offset: ") {
			t.Errorf("%s: %d bytes, %s", source, len(text), note)
		}
		cost.Below(t, most, func() {
			got = call(t, k, of, `{"uri":"run://1/result","select":"`+source+`","offset":100000,"limit":10}`)
		})
		if text, note, _ = strings.Cut(got, " | "); len(text) != 10 || !strings.HasPrefix(note, "characters 100000 to 100010; there are more; next offset: 100010") {
			t.Errorf("%s: %q %s", source, text, note)
		}
	}
	if got := call(t, k, of, `{"uri":"run://1/result","select":"$map([1..2500], function($i){$$})","offset":200000000}`); !strings.Contains(got, "only the first 64 MiB") {
		t.Error(got)
	}
}

// The pages of what select yields are together its JSON without secrets, wherever they end.
func TestPagesAreTheWhole(t *testing.T) {
	k, of := New(nil), fileOf("a-secret")
	of.Limits["a"] = 50
	put(t, k, of, "1", []any{"plain ü😀\"", "a-", "secret"})
	const source = `$map([1..20], function($i){[$string($i), $[0], $[1] & $[2]]})`
	k2, whole := New(nil), fileOf("a-secret")
	whole.Limits["a"] = 1 << 20
	put(t, k2, whole, "1", []any{"plain ü😀\"", "a-", "secret"})
	want := call(t, k2, whole, `{"uri":"run://1/result","select":"`+source+`"}`)
	next := regexp.MustCompile(`next offset: (\d+)$`)
	var got strings.Builder
	offset := "0"
	for range 1000 {
		text := call(t, k, of, `{"uri":"run://1/result","select":"`+source+`","offset":`+offset+`}`)
		page, note, _ := strings.Cut(text, " | ")
		got.WriteString(page)
		m := next.FindStringSubmatch(note)
		if m == nil {
			break
		}
		offset = m[1]
	}
	if got.String() != want || !strings.Contains(want, "[redacted]") || strings.Contains(want, "a-secret") {
		t.Errorf("got  %s\nwant %s", got.String(), want)
	}
}
