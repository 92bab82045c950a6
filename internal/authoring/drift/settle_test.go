package drift

import (
	"fmt"
	"slices"
	"testing"

	"toolgraph/expressions/value"
)

func decode(t *testing.T, src string) value.Value {
	t.Helper()
	if src == "" {
		return nil
	}
	v, err := value.Decode([]byte(src))
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return v
}

func encode(t *testing.T, v value.Value) string {
	t.Helper()
	if v == nil {
		return ""
	}
	src, err := value.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// What two present answers do not share is as it was recorded; what they share is present.
func TestSettle(t *testing.T) {
	for name, c := range map[string]struct{ was, one, two, want string }{
		"equal":                        {`1`, `1`, `1`, `1`},
		"a change":                     {`1`, `2`, `2`, `2`},
		"a counter":                    {`1`, `7`, `8`, `1`},
		"a counter that is a text now": {`1`, `"7"`, `"8"`, `"7"`},
		"now and then null":            {`1`, `null`, `2`, `1`},
		"null":                         {`1`, `null`, `null`, `null`},
		"no answer was recorded":       {``, `1`, `2`, `1`},
		"an id beside a change":        {`{"id":"a1","n":1}`, `{"id":"b2","n":2}`, `{"id":"c3","n":2}`, `{"id":"a1","n":2}`},
		"missing":                      {`{"a":1,"b":2}`, `{"a":1}`, `{"a":1}`, `{"a":1}`},
		"missing now and then":         {`{"a":1,"b":2}`, `{"a":1}`, `{"a":1,"b":3}`, `{"a":1,"b":2}`},
		"new":                          {`{"a":1}`, `{"b":2,"a":1}`, `{"a":1,"b":3}`, `{"a":1,"b":2}`},
		"new now and then":             {`{"a":1}`, `{"b":2,"a":1}`, `{"a":1}`, `{"a":1}`},
		"items":                        {`[{"t":1,"n":1}]`, `[{"t":2,"n":3}]`, `[{"t":4,"n":3}]`, `[{"t":1,"n":3}]`},
		"more items":                   {`[{"t":1}]`, `[{"t":2},{"t":3}]`, `[{"t":4},{"t":5}]`, `[{"t":1},{"t":3}]`},
		"another number of items":      {`[1]`, `[1,2]`, `[1,2,3]`, `[1]`},
		"a time in a text": {
			`"at 2026-01-31T09:59:59.1Z\n20 items"`, `"at 2026-11-27T12:00:01.5Z\n19 items"`, `"at 2026-11-27T12:00:01.7Z\n19 items"`,
			`"at 2026-01-31T09:59:59.1Z\n19 items"`,
		},
		"the time of HTTP": {
			`"Sat, 31 Jan 2026 09:59:59 GMT"`, `"Fri, 27 Nov 2026 12:00:01 GMT"`, `"Fri, 27 Nov 2026 12:00:02 GMT"`, `"Sat, 31 Jan 2026 09:59:59 GMT"`,
		},
		"a time beside a number":  {`"at 09:59, 20 items"`, `"at 12:01, 19 items"`, `"at 12:02, 19 items"`, `"at 09:59, 19 items"`},
		"another format of times": {`"2026-01-31 09:59"`, `"27.11.2026/12.01"`, `"27.11.2026/12.02"`, `"27.11.2026/12.01"`},
		"ids of any form":         {`"ab-c"`, `"d-ef"`, `"xyz"`, `"ab-c"`},
		"more lines":              {`"id a\nx"`, `"id b\nx\ny"`, `"id c\nx\ny"`, `"id a\nx\ny"`},
		"letters of any alphabet": {`"é→1"`, `"ü→2"`, `"ö→2"`, `"é→2"`},
	} {
		if got := encode(t, settle(decode(t, c.was), decode(t, c.one), decode(t, c.two))); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// A line that is no UTF-8 is split without a panic.
func TestWordsOfAnyBytes(t *testing.T) {
	if got := settleLine("a\xff1", "a\xff2", "a\xff3"); len(got) == 0 {
		t.Error("nothing is left")
	}
	settleText("\xff", "\xff\xfe", "\xfe\xff")
}

// Changes are named by the field that they are in, of all items the same; each can be taken alone.
func TestChanges(t *testing.T) {
	for name, c := range map[string]struct {
		was, is string
		want    []string
	}{
		"equal":           {`{"a":[1]}`, `{"a":[1.0]}`, nil},
		"order of keys":   {`{"a":1,"b":2}`, `{"b":2,"a":1}`, nil},
		"renamed":         {`{"a":{"b c":1}}`, `{"a":{"d":1}}`, []string{`.a["b c"] is missing, and .d has its value`, `.a.d is new`}},
		"of items":        {`[{"n":1},{"n":2}]`, `[{"n":"1"},{"n":"2"}]`, []string{`[].n was number and is text`, `[].n was number and is text`}},
		"fewer items":     {`{"l":[1,2]}`, `{"l":[1]}`, []string{`.l has 1 items, and had 2`}},
		"order of items":  {`[1,2,3]`, `[3,1,2]`, []string{` has its items in another order`}},
		"equal items":     {`[1,1,2]`, `[1,2,2]`, []string{`[] has another value`}},
		"truncated":       {`"a long text"`, `"a long…"`, []string{` is truncated`}},
		"null":            {`{"a":1}`, `{"a":null}`, []string{`.a was number and is null`}},
		"null is missing": {`{"a":null}`, `{}`, []string{`.a is missing`}},
		"a large number":  {`12345678901234567890`, `12345678901234567891`, []string{` has another value`}},
	} {
		was, is := decode(t, c.was), decode(t, c.is)
		var got []string
		for _, change := range changes(was, is) {
			got = append(got, fmt.Sprint(change.field, " ", change.what))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if none := merge("", was, is, func(change) bool { return false }); !value.Same(none, was) {
			t.Errorf("%s: without a change it is %s", name, encode(t, none))
		}
		if all := merge("", was, is, func(change) bool { return true }); !value.Same(all, is) {
			t.Errorf("%s: with all changes it is %s", name, encode(t, all))
		}
	}
}

// A present outputSchema takes from a recorded answer what it does not have any more, and changes what has another type.
func TestDeclaredAs(t *testing.T) {
	const before = `{"properties":{"a":{"type":"integer"},"l":{"items":{"properties":{"b":{"type":"string"}}}}}}`
	for name, c := range map[string]struct{ was, before, now, want string }{
		"equal":                       {`{"a":1,"l":[{"b":"x"}]}`, before, before, `{"a":1,"l":[{"b":"x"}]}`},
		"gone":                        {`{"a":1,"l":[]}`, before, `{"properties":{"l":{}}}`, `{"l":[]}`},
		"gone in items":               {`{"l":[{"b":"x"}]}`, before, `{"properties":{"a":{},"l":{"items":{"properties":{"c":{}}}}}}`, `{"l":[{}]}`},
		"another type":                {`{"a":1}`, before, `{"properties":{"a":{"type":"string"}}}`, `{"a":"1"}`},
		"a wider type":                {`{"a":1}`, before, `{"properties":{"a":{"type":["string","number"]}}}`, `{"a":1}`},
		"never declared":              {`{"z":1}`, before, `{"properties":{"l":{}}}`, `{"z":1}`},
		"wrong before":                {`{"a":"x"}`, before, `{"properties":{"a":{"type":"integer"}}}`, `{"a":"x"}`},
		"without a lock only of type": {`{"a":1,"z":1}`, ``, `{"properties":{"a":{"type":"boolean"}}}`, `{"a":false,"z":1}`},
		"an unknown type":             {`{"a":1}`, before, `{"properties":{"a":{"type":"bigint"}}}`, `{"a":1}`},
		"no schema":                   {`{"a":1}`, before, `true`, `{"a":1}`},
		"odd schema":                  {`{"a":1}`, before, `{"properties":[1],"type":7}`, `{"a":1}`},
	} {
		if got := encode(t, declaredAs(decode(t, c.was), decoded([]byte(c.before)), decoded([]byte(c.now)))); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}
