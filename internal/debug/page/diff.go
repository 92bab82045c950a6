package page

import (
	"net/http"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/diff"
	"toolgraph/internal/wording"
)

const (
	changesShown = 50  // of a value
	rowsShown    = 200 // steps that differ
	changeShown  = 400 // bytes of a changed value
)

type diffJSON struct {
	Same      bool         `json:"same"`
	Steps     [2]int       `json:"steps"`
	Args      []changeJSON `json:"args"`
	Result    []changeJSON `json:"result"`
	First     *partingJSON `json:"first"`     // the first step that differs; that of other arguments does not count
	Differing int          `json:"differing"` // steps
	Rows      []rowJSON    `json:"rows"`      // the first of them
}

type partingJSON struct {
	Index   int          `json:"index"`
	Nodes   [2]string    `json:"nodes"`
	Changes []changeJSON `json:"changes"`
}

type changeJSON struct {
	Path string  `json:"path"`
	Old  *string `json:"old"` // null: it was not there
	New  *string `json:"new"`
}

type rowJSON struct {
	Index    int       `json:"index"`
	Nodes    [2]string `json:"nodes"`
	Previews [2]string `json:"previews"`
}

func (s *Server) diff(r *http.Request) (any, error) {
	var frames [2]frame
	for i, name := range []string{"a", "b"} {
		f, err := s.film(r.Context(), r.URL.Query().Get(name))
		if err != nil {
			return nil, err
		}
		frames[i] = f.now()
	}
	a, b := frames[0], frames[1]
	out := diffJSON{
		Steps: [2]int{len(a.records), len(b.records)},
		Args:  changes(a.args, b.args), Result: changes(a.result, b.result), Rows: []rowJSON{},
	}
	for i := range max(len(a.records), len(b.records)) {
		x, y := recordAt(a.records, i), recordAt(b.records, i)
		var found []changeJSON
		if x.NodeID == y.NodeID && (x.Error == nil) == (y.Error == nil) {
			if found = changes(x.Output, y.Output); len(found) == 0 {
				continue
			}
		}
		out.Differing++
		if arguments := i == 0 && len(out.Args) > 0; out.First == nil && !arguments {
			out.First = &partingJSON{Index: i, Nodes: [2]string{x.NodeID, y.NodeID}, Changes: found}
		}
		if len(out.Rows) < rowsShown {
			out.Rows = append(out.Rows, rowJSON{Index: i, Nodes: [2]string{x.NodeID, y.NodeID}, Previews: [2]string{rowText(x), rowText(y)}})
		}
	}
	out.Same = out.Differing == 0 && len(out.Args) == 0 && len(out.Result) == 0 && a.Status == b.Status
	return out, nil
}

// recordAt is a record, or an empty one past the end.
func recordAt(records []execution.Record, i int) execution.Record {
	if i < len(records) {
		return records[i]
	}
	return execution.Record{}
}

func rowText(rec execution.Record) string {
	if rec.Error != nil {
		message, _ := cutCaret(rec.Error.Message)
		return wording.Truncate(message, previewShown)
	}
	if rec.NodeID == "" {
		return ""
	}
	return preview(rec.Output, previewShown)
}

func changes(a, b value.Value) []changeJSON {
	var out []changeJSON
	for i, c := range diff.Values(a, b) {
		if i == changesShown {
			break
		}
		out = append(out, changeJSON{Path: c.Path, Old: changed(c.Old), New: changed(c.New)})
	}
	return out
}

func changed(v value.Value) *string {
	if v == nil {
		return nil
	}
	text := preview(v, changeShown)
	return &text
}
