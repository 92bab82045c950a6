package page

import (
	"net/http"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/internal/wording"
)

const (
	stepsShown   = 100 // of a page, when the request does not say
	mostSteps    = 500
	previewShown = 160 // bytes of a value in a list
)

// stepJSON is a step as lists show it.
type stepJSON struct {
	Index   int             `json:"index"`
	Node    string          `json:"node"`
	Type    config.NodeType `json:"type"`
	MS      float64         `json:"ms"`
	Preview string          `json:"preview"`
	Error   string          `json:"error,omitempty"`
	Edited  bool            `json:"edited,omitempty"`
}

func stepOf(rec execution.Record) stepJSON {
	out := stepJSON{
		Index: rec.Index, Node: rec.NodeID, Type: rec.NodeType, Edited: rec.Edited,
		MS: float64(rec.Duration().Microseconds()) / 1000,
	}
	if rec.Error != nil {
		message, _ := cutCaret(rec.Error.Message)
		out.Error = wording.Truncate(message, previewShown)
	} else {
		out.Preview = preview(rec.Output, previewShown)
	}
	return out
}

func (s *Server) listSteps(r *http.Request) (any, error) {
	now, err := s.frame(r)
	if err != nil {
		return nil, err
	}
	from, err := number(r, "from", 0, len(now.records))
	if err != nil {
		return nil, err
	}
	limit, err := number(r, "limit", stepsShown, mostSteps)
	if err != nil {
		return nil, err
	}
	out := struct {
		Total int        `json:"total"`
		Steps []stepJSON `json:"steps"`
	}{len(now.records), []stepJSON{}}
	for _, rec := range now.records[from:min(from+limit, len(now.records))] {
		out.Steps = append(out.Steps, stepOf(rec))
	}
	return out, nil
}
