package page

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"toolgraph/expressions/value"
)

const (
	matchesShown = 200     // of an answer
	matchesMost  = 100_000 // that are counted
	searchShown  = 1000    // bytes of what is searched for
	searchPiece  = 1 << 20 // bytes of a text that are searched at once
	excerptShown = 60      // bytes before a match, and behind it
	pollSearch   = 1024    // parts between two looks at the clock
)

// matchJSON is a part of a value whose key or text has what was searched for.
type matchJSON struct {
	Path    []any  `json:"path"`
	At      []int  `json:"at"` // the place of each step of the path among the keys or items there
	In      string `json:"in"` // key or value
	Excerpt string `json:"excerpt"`
}

type matchesJSON struct {
	Matches []matchJSON `json:"matches"` // a page of them, in the order of the value
	From    int         `json:"from"`
	Total   int         `json:"total"`
	Partial bool        `json:"partial,omitempty"` // there may be more: the time or the limit was reached
}

// searchValue finds keys and scalars of a value that have a text, whatever their case.
func (s *Server) searchValue(r *http.Request, now runState) (any, error) {
	text := r.URL.Query().Get("text")
	if text == "" || len(text) > searchShown {
		return nil, errorf(http.StatusBadRequest, "text has %d bytes, expected 1 to %d", len(text), searchShown)
	}
	from, err := number(r, "from", 0, matchesMost)
	if err != nil {
		return nil, err
	}
	v, _, err := s.part(r, now)
	if err != nil {
		return nil, err
	}
	ctx, done, err := s.evaluating(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	return searched(ctx, v, text, from), nil
}

func searched(ctx context.Context, v value.Value, text string, from int) matchesJSON {
	w := walk{ctx: ctx, lower: strings.ToLower(text), pattern: regexp.MustCompile("(?i)" + regexp.QuoteMeta(text)), out: matchesJSON{Matches: []matchJSON{}, From: from}}
	if text := w.find(scalarText(v)); text != "" {
		w.add("value", text)
	}
	w.below(v)
	return w.out
}

// walk goes through a value.
type walk struct {
	ctx     context.Context
	lower   string         // what is searched for
	pattern *regexp.Regexp // likewise: it finds the place, which takes longer
	path    []any
	at      []int
	parts   int
	out     matchesJSON
}

// below searches what is inside v, and reports whether to go on.
func (w *walk) below(v value.Value) bool {
	if items, ok := v.([]any); ok {
		for i, item := range items {
			if !w.child(i, i, "", item) {
				return false
			}
		}
		return true
	}
	object, ok := objectOf(v)
	if !ok {
		return true
	}
	for i, key := range object.Keys() {
		item, _ := object.Get(key)
		if !w.child(key, i, key, item) {
			return false
		}
	}
	return true
}

func (w *walk) child(step any, at int, key string, v value.Value) bool {
	w.parts++
	if w.out.Total >= matchesMost || w.parts%pollSearch == 0 && w.ctx.Err() != nil {
		w.out.Partial = true
		return false
	}
	w.path, w.at = append(w.path, step), append(w.at, at)
	if text := w.find(key); text != "" {
		w.add("key", text)
	} else if text := w.find(scalarText(v)); text != "" {
		w.add("value", text)
	}
	more := !w.out.Partial && w.below(v)
	w.path, w.at = w.path[:len(w.path)-1], w.at[:len(w.at)-1]
	return more
}

func (w *walk) add(in, excerpt string) {
	if n := w.out.Total - w.out.From; n >= 0 && n < matchesShown {
		w.out.Matches = append(w.out.Matches, matchJSON{Path: append([]any{}, w.path...), At: append([]int{}, w.at...), In: in, Excerpt: excerpt})
	}
	w.out.Total++
}

// find returns the text around the first match in a text; empty when there is none. A long text is
// searched in pieces that overlap.
func (w *walk) find(text string) string {
	for start := 0; start < len(text); start += searchPiece {
		piece := text[start:min(len(text), start+searchPiece+searchShown)]
		if strings.Contains(strings.ToLower(piece), w.lower) {
			at := w.pattern.FindStringIndex(piece)
			if at == nil {
				at = []int{0, 0} // cases of different length
			}
			return around(text, start+at[0], start+at[1])
		}
		if len(text) > searchPiece && w.ctx.Err() != nil {
			w.out.Partial = true
			return ""
		}
	}
	return ""
}

// around returns a part of a text with what is around it.
func around(text string, from, to int) string {
	begin, end := max(0, from-excerptShown), min(len(text), to+excerptShown)
	for begin > 0 && !utf8.RuneStart(text[begin]) {
		begin--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	out := strings.ToValidUTF8(text[begin:end], "\uFFFD")
	if begin > 0 {
		out = "…" + out
	}
	if end < len(text) {
		out += "…"
	}
	return out
}

// scalarText returns a scalar as the tree shows it; empty for an array, an object and nothing.
func scalarText(v value.Value) string {
	switch kindOf(v) {
	case "string":
		return v.(string)
	case "array", "object", "nothing":
		return ""
	}
	return scalar(v)
}

const (
	columnsFrom  = 1000 // items whose keys become columns
	columnsShown = 50
	cellShown    = 200 // bytes of a cell
)

// tableJSON is a list of objects as a table: a column for each key, a row for each item.
type tableJSON struct {
	Size    int            `json:"size"`
	From    int            `json:"from"`
	Columns []string       `json:"columns"`
	Hidden  int            `json:"hidden,omitempty"` // columns that are not shown
	Rows    []tableRowJSON `json:"rows"`
}

type tableRowJSON struct {
	Index int      `json:"index"`
	Cells []*level `json:"cells,omitempty"` // null where the item does not have the key
	Item  *level   `json:"item,omitempty"`  // an item that is no object
}

func (s *Server) tableOf(r *http.Request, now runState) (any, error) {
	v, old, err := s.part(r, now)
	if err != nil {
		return nil, err
	}
	items, ok := v.([]any)
	if !ok {
		return nil, errorf(http.StatusUnprocessableEntity, "the value is no list")
	}
	from, err := number(r, "from", 0, len(items))
	if err != nil {
		return nil, err
	}
	out := tableJSON{Size: len(items), From: from, Columns: []string{}, Rows: []tableRowJSON{}}
	seen := map[string]bool{}
	shown := items[from:min(from+childrenShown, len(items))]
	for _, item := range slices.Concat(items[:min(columnsFrom, len(items))], shown) {
		object, _ := objectOf(item)
		if object == nil {
			continue
		}
		for _, key := range object.Keys() {
			if !seen[key] && len(seen) < columnsFrom {
				seen[key] = true
				out.Columns = append(out.Columns, key)
			}
		}
	}
	out.Hidden = max(0, len(out.Columns)-columnsShown)
	out.Columns = out.Columns[:len(out.Columns)-out.Hidden]
	for i, item := range shown {
		out.Rows = append(out.Rows, rowOf(from+i, item, old.child(float64(from+i)), out.Columns))
	}
	return out, nil
}

func rowOf(index int, item value.Value, old earlier, columns []string) tableRowJSON {
	row := tableRowJSON{Index: index}
	object, ok := objectOf(item)
	if !ok {
		one := brief(item, cellShown)
		old.mark(&one, item)
		row.Item = &one
		return row
	}
	for _, key := range columns {
		v, has := object.Get(key)
		if !has {
			row.Cells = append(row.Cells, nil)
			continue
		}
		cell := brief(v, cellShown)
		if old.value != nil {
			at := old.child(key)
			at.mark(&cell, v)
		}
		row.Cells = append(row.Cells, &cell)
	}
	return row
}
