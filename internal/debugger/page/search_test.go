package page

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"toolgraph/expressions/value"
)

func decoded(t *testing.T, src string) value.Value {
	t.Helper()
	v, err := value.Decode([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A search finds keys, texts and numbers in any case, however deep and long, a page at a time.
func TestSearch(t *testing.T) {
	long := strings.Repeat("ä", searchPiece/2+20) + "Needle" + strings.Repeat("x", 500)
	v := decoded(t, fmt.Sprintf(`{"needles": [1, {"x": "a NEEDLE"}], "n": 90071992547409931, "long": %q, "needle": "needle", "yes": true, "none": null}`, long))
	for text, want := range map[string]string{
		"needle":       "[[needles] [needles 1 x] [long] [needle]]",
		"409931":       "[[n]]",
		"TRUE":         "[[yes]]",
		"null":         "[[none]]",
		"[1":           "[]",
		"\u00e4needle": "[[long]]",
	} {
		got := searched(t.Context(), v, text, 0)
		paths := []any{}
		for _, m := range got.Matches {
			paths = append(paths, m.Path)
			if len(m.Excerpt) > 3*excerptShown {
				t.Errorf("an excerpt of %d bytes", len(m.Excerpt))
			}
		}
		if fmt.Sprint(paths) != want || got.Total != len(paths) || got.Partial {
			t.Errorf("%s: %v of %d, expected %s", text, paths, got.Total, want)
		}
	}
	many := decoded(t, "["+strings.Repeat(`{"kind":"file"},`, 999)+`{"kind":"file"}]`)
	page := searched(t.Context(), many, "file", 900)
	if len(page.Matches) != 100 || page.Total != 1000 || fmt.Sprint(page.Matches[0].Path) != "[900 kind]" {
		t.Errorf("%d matches of %d, the first %v", len(page.Matches), page.Total, page.Matches[0])
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got := searched(ended, many, "file", 0); !got.Partial || got.Total >= 1000 {
		t.Errorf("a search whose time has ended: %d, partial %v", got.Total, got.Partial)
	}
}

// A table has a column for each key; the values are cells, and what has no keys stands alone.
func TestTable(t *testing.T) {
	c := open(t, nil)
	id := c.start(`{"tool": "count", "args": {"n": 1}}`)
	c.until(id, "finished")
	query := func(source string, more string) string {
		return "/api/runs/" + id + "/table?of=expression&kind=jsonata&at=3&source=" + url.QueryEscape(source) + more
	}
	table := good[tableJSON](c, "GET", query(`[{"a": 1, "b": [1]}, 7, {"c": null, "a": "x"}]`, ""), "")
	if fmt.Sprint(table.Columns) != "[a b c]" || len(table.Rows) != 3 || table.Rows[1].Item.Text != "7" || table.Rows[2].Cells[1] != nil || table.Rows[2].Cells[2].Kind != "null" {
		t.Errorf("%+v", table)
	}
	wide := good[tableJSON](c, "GET", query(`[1..120].{"k" & $: $}`, "&from=110"), "")
	if len(wide.Columns) != columnsShown || wide.Hidden != 120-columnsShown || len(wide.Rows) != 10 || wide.Rows[0].Index != 110 {
		t.Errorf("%d columns, %d hidden, %d rows", len(wide.Columns), wide.Hidden, len(wide.Rows))
	}
	if status, _ := c.ask("GET", "/api/runs/"+id+"/table?of=args", ""); status != http.StatusUnprocessableEntity {
		t.Errorf("a table of an object: %d", status)
	}
}

// A whole value, or a part of it, comes as it is: digits, order, text; as a file it has a name.
func TestWhole(t *testing.T) {
	c := open(t, nil)
	id := c.start(`{"tool": "count", "args": {"n": 1, "note": "line\n2", "deep": {"list": [1, 2], "empty": {}, "big": 9007199254740993}}}`)
	c.until(id, "finished")
	whole := func(query string) string {
		t.Helper()
		status, body := c.ask("GET", "/api/runs/"+id+"/whole?"+query, "")
		if status != http.StatusOK {
			t.Errorf("%s: %d", query, status)
		}
		return body
	}
	for query, want := range map[string]string{
		"of=args&path=%5B%22deep%22%5D":          `{"list":[1,2],"empty":{},"big":9007199254740993}`,
		"of=args&path=%5B%22deep%22%5D&indent=1": "{\n  \"list\": [\n    1,\n    2\n  ],\n  \"empty\": {},\n  \"big\": 9007199254740993\n}",
		"of=args&path=%5B%22note%22%5D&raw=1":    "line\n2",
		"of=args&path=%5B%22note%22%5D":          `"line\n2"`,
	} {
		if got := whole(query); got != want {
			t.Errorf("%s: %s, expected %s", query, got, want)
		}
	}
	resp, err := c.http.Get(c.base + "/api/runs/" + id + "/whole?of=output&at=3&download=1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, want := resp.Header.Get("Content-Disposition"), fmt.Sprintf(`attachment; filename="%s-3-add.json"`, id); got != want {
		t.Errorf("%s, expected %s", got, want)
	}
}
