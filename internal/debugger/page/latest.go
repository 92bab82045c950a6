package page

import "net/http"

// latestJSON is the latest step of each node of a frame.
type latestJSON struct {
	Nodes map[string]shortJSON `json:"nodes"`
}

// shortJSON is a step as the graph shows it.
type shortJSON struct {
	Index   int    `json:"index"`
	Preview string `json:"preview"`
	Error   string `json:"error,omitempty"`
	Edited  bool   `json:"edited,omitempty"`
}

// getLatest returns the latest step of each node up to a step of a frame, that step included.
func (s *Server) getLatest(r *http.Request, now runState) (any, error) {
	p, err := placeOf(r, now)
	if err != nil {
		return nil, err
	}
	records := now.records(p.Frame)
	out := latestJSON{Nodes: map[string]shortJSON{}}
	for i := min(p.At, len(records)-1); i >= 0; i-- {
		rec := records[i]
		if _, later := out.Nodes[rec.NodeID]; later {
			continue
		}
		short := shortJSON{Index: rec.Index, Edited: rec.Edited}
		if rec.Error != nil {
			short.Error = recordText(rec)
		} else {
			short.Preview = recordText(rec)
		}
		out.Nodes[rec.NodeID] = short
	}
	return out, nil
}
