package jsonata

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"toolgraph/expressions/value"
)

// largeDocument returns a document whose objects of scalars stay text: with members that are missing, of other kinds, escaped
// and large.
func largeDocument(r *rand.Rand) []byte {
	var b strings.Builder
	b.WriteString(`{"items":[`)
	for i := range 12 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"id":` + fmt.Sprint(i))
		for _, key := range []string{"a", "b", "k", "n", "long name", "x", "y", "z", "l", "i", "$", "*"} {
			if r.IntN(5) == 0 {
				continue
			}
			values := []string{
				"1", "2.5", "-0", "1.50", "123456789012345678901", `"aa"`, `"b\n\"c\u00e9"`, `"2.5"`, "null", "true", "false", `""`, "1e400", `"日本"`,
				`[]`, `[1,{"a":2}]`, `{"a":{"b":1}}`, `{}`,
			}
			most := len(values)
			if i%3 > 0 {
				most -= 4 // it stays text
			}
			b.WriteString(`,"` + key + `":` + values[r.IntN(most)])
		}
		b.WriteByte('}')
	}
	b.WriteString(`],"one":{"a":1,"b":"text"},"pad":"` + strings.Repeat("p", 64<<10) + `"}`)
	return []byte(b.String())
}

// asTree copies a value so that all its objects are maps.
func asTree(v value.Value) value.Value {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = asTree(v[i])
		}
		return out
	case value.Object:
		out := value.NewMap()
		for _, key := range v.Keys() {
			item, _ := v.Get(key)
			out.Set(key, asTree(item))
		}
		return out
	}
	return v
}

// Every operator and function gives the same for objects that stay text as for maps: values, errors, and steps.
func TestRowsAreAsMaps(t *testing.T) {
	replacer := strings.NewReplacer("A", "$.up.items", "B", "$.up.items[4]")
	var sources []string
	for _, form := range meteredForms {
		sources = append(sources, replacer.Replace(form), strings.NewReplacer("A", "$.up.items[1]", "B", "$.up.one").Replace(form))
	}
	for _, name := range functionNames() {
		for _, args := range []string{"$.up.items", "$.up.items[1]", "$.up.items[4]", `$.up.items, "a"`, "$.up.one, function($v, $k){[$v, $k]}", "$.up.items, function($v){$v.a}", "$.up.items, function($l, $r){$l.id < $r.id}"} {
			sources = append(sources, "$"+name+"("+args+")")
		}
	}
	sources = append(sources, `$.up.items[a = 1 and b != "aa"].id`, "$.up.items.`long name`", "$.up.items{k: $count($)}", "$.up.items^(>n, id).id", "$.up.items.*", "$.up.items.**[a]",
		`$.up.items ~> |$|{"new": id}, ["a", "b"]|`, "$.up.items@$i.$.up.items[id = $i.id].k", "$.up.items#$i[$i < 3].x", "$.up.items.a.%.id", "$.up.items[-1]", "$$.up.items[0] = $.up.items[0]", "$.up.items.{\"v\": z}", "$.up.one.b")
	rows := 0
	for seed := range uint64(3) {
		doc, err := value.Decode(largeDocument(rand.New(rand.NewPCG(seed, 7))))
		if err != nil {
			t.Fatal(err)
		}
		o, _ := value.ObjectOf(doc)
		items, _ := o.Get("items")
		for _, item := range items.([]any) {
			if _, isRow := item.(*value.Row); isRow {
				rows++
			}
		}
		text, tree := NewScope(map[string]any{"up": doc}, nil), NewScope(map[string]any{"up": asTree(doc)}, nil)
		for _, source := range sources {
			if strings.HasPrefix(source, "$random") || strings.HasPrefix(source, "$shuffle") || strings.HasPrefix(source, "$now") || strings.HasPrefix(source, "$millis") {
				continue
			}
			e, err := Compile(t.Context(), source)
			if err != nil {
				continue
			}
			got, steps, err := evalWithin(t.Context(), e, text, time.Minute)
			want, wantSteps, wantErr := evalWithin(t.Context(), e, tree, time.Minute)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || steps != wantSteps || err == nil && encoded(got) != encoded(want) {
				t.Errorf("%s: %.300s, %v after %d steps, want %.300s, %v after %d", source, encoded(got), err, steps, encoded(want), wantErr, wantSteps)
			}
		}
	}
	if rows < 12 {
		t.Errorf("%d items stay text, want more", rows)
	}
}

func encoded(v value.Value) string {
	text, err := value.Encode(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
