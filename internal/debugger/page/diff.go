package page

import (
	"cmp"
	"net/http"

	"toolgraph/execution"
	"toolgraph/execution/fold"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/diff"
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
	First     *divergenceJSON `json:"first"`     // the step of the smallest address that differs, not counting the entry when the arguments differ
	Differing int             `json:"differing"` // steps
	Rows      []rowJSON       `json:"rows"`      // the first of them

	Runs  [2]info         `json:"runs"`
	Times []timesPairJSON `json:"times"` // the nodes with the largest difference first
	Idle  [2][][2]float64 `json:"idle"`  // see timesJSON
}

// timesPairJSON is where the time of both runs went, for one node.
type timesPairJSON [2]nodeTimesJSON

type divergenceJSON struct {
	Index   int          `json:"index"`
	Nodes   [2]string    `json:"nodes"`
	Changes []changeJSON `json:"changes"`

	Frame execution.Address `json:"frame,omitempty"`
	Part  string            `json:"part,omitempty"`
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

	Frame execution.Address `json:"frame,omitempty"`
	Part  string            `json:"part,omitempty"`
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
	out := diffJSON{Args: changes(a.args, b.args), Result: changes(a.result, b.result), Rows: []rowJSON{}, Times: []timesPairJSON{}}
	out.Steps = [2]int{len(a.history.All(0)), len(b.history.All(0))}
	for _, pair := range fold.Pairs(a.history, b.history) {
		x, y := pair[0], pair[1]
		at := cmp.Or(x, y)
		x, y = cmp.Or(x, &execution.Record{}), cmp.Or(y, &execution.Record{})
		var found []changeJSON
		if x.NodeID == y.NodeID && (x.Error == nil) == (y.Error == nil) {
			if found = changes(x.Output, y.Output); len(found) == 0 {
				continue
			}
		}
		out.Differing++
		nodes := [2]string{x.Name(), y.Name()}
		arguments := at.At() == "0" && len(out.Args) > 0
		if out.First == nil && !arguments {
			out.First = &divergenceJSON{Index: at.Index, Nodes: nodes, Changes: found, Frame: at.Frame, Part: at.Part}
		}
		if len(out.Rows) < rowsShown {
			out.Rows = append(out.Rows, rowJSON{Index: at.Index, Nodes: nodes, Previews: [2]string{rowText(x), rowText(y)}, Frame: at.Frame, Part: at.Part})
		}
	}
	out.Runs, out.Idle = [2]info{a.info, b.info}, [2][][2]float64{a.idle(), b.idle()}
	for _, t := range fold.CompareTimes(a.history, b.history) {
		out.Times = append(out.Times, timesPairJSON{nodeTimes(t.A), nodeTimes(t.B)})
	}
	out.Same = out.Differing == 0 && len(out.Args) == 0 && len(out.Result) == 0 && a.Status == b.Status
	return out, nil
}

func rowText(rec *execution.Record) string {
	if rec.NodeID == "" {
		return ""
	}
	return recordText(*rec)
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
