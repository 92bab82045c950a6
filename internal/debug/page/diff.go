package page

import (
	"net/http"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/diff"
)

const (
	changesShown = 50  // of a value
	rowsShown    = 200 // steps that differ
	changeShown  = 400 // bytes of a changed value
)

type diffJSON struct {
	Same      bool            `json:"same"`
	Steps     [2]int          `json:"steps"`
	Args      []changeJSON    `json:"args"`
	Result    []changeJSON    `json:"result"`
	First     *divergenceJSON `json:"first"`     // the first step that differs, not counting the entry when the arguments differ
	Differing int             `json:"differing"` // steps
	Rows      []rowJSON       `json:"rows"`      // the first of them
}

type divergenceJSON struct {
	Index   int          `json:"index"`
	Nodes   [2]string    `json:"nodes"`
	Changes []changeJSON `json:"changes"`
}

type changeJSON struct {
	Path string  `json:"path"`
	Old  *string `json:"old"` // null: it was missing
	New  *string `json:"new"`
}

type rowJSON struct {
	Index    int       `json:"index"`
	Nodes    [2]string `json:"nodes"`
	Previews [2]string `json:"previews"`
}

func (s *Server) diff(r *http.Request) (any, error) {
	var both [2]runState
	for i, name := range []string{"a", "b"} {
		run, err := s.run(r.Context(), r.URL.Query().Get(name))
		if err != nil {
			return nil, err
		}
		both[i] = run.now()
	}
	a, b := both[0], both[1]
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
		nodes := [2]string{x.NodeID, y.NodeID}
		if arguments := i == 0 && len(out.Args) > 0; out.First == nil && !arguments {
			out.First = &divergenceJSON{Index: i, Nodes: nodes, Changes: found}
		}
		if len(out.Rows) < rowsShown {
			out.Rows = append(out.Rows, rowJSON{Index: i, Nodes: nodes, Previews: [2]string{rowText(x), rowText(y)}})
		}
	}
	out.Same = out.Differing == 0 && len(out.Args) == 0 && len(out.Result) == 0 && a.Status == b.Status
	return out, nil
}

// recordAt returns a record, an empty one past the end.
func recordAt(records []execution.Record, i int) execution.Record {
	if i < len(records) {
		return records[i]
	}
	return execution.Record{}
}

func rowText(rec execution.Record) string {
	if rec.NodeID == "" {
		return ""
	}
	return recordText(rec)
}

func changes(a, b value.Value) (out []changeJSON) {
	all := diff.Values(a, b)
	for _, c := range all[:min(len(all), changesShown)] {
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
