package page

import (
	"net/http"
	"time"

	"toolgraph/execution/fold"
)

// timesJSON is where the time of a run went, in milliseconds.
type timesJSON struct {
	Nodes []nodeTimesJSON `json:"nodes"`
	Idle  [][2]float64    `json:"idle"` // from and to, after the run began, where nothing ran; short ones are left out
}

// nodeTimesJSON is the time of a node, see fold.Times.
type nodeTimesJSON struct {
	Tool   string  `json:"tool,omitempty"`
	Node   string  `json:"node"`
	Count  int     `json:"count"`
	Failed int     `json:"failed"`
	Parts  int     `json:"parts"`
	Took   float64 `json:"took"`
	Waited float64 `json:"waited"`
	P50    float64 `json:"p50"`
	P95    float64 `json:"p95"`
}

func nodeTimes(t fold.Times) nodeTimesJSON {
	return nodeTimesJSON{
		Tool: t.Tool, Node: t.Node, Count: t.Count, Failed: t.Failed, Parts: t.Parts,
		Took: milliseconds(t.Took), Waited: milliseconds(t.Waited), P50: milliseconds(t.P50), P95: milliseconds(t.P95),
	}
}

func (s *Server) getTimes(_ *http.Request, now runState) (any, error) {
	out := timesJSON{Nodes: []nodeTimesJSON{}, Idle: now.idle()}
	for _, t := range now.history.Times() {
		out.Nodes = append(out.Nodes, nodeTimes(t))
	}
	return out, nil
}

const (
	leastIdle = 300 * time.Millisecond
	idleShare = 4 // a time is idle when it is longer than all work divided by this
	mostIdle  = 100
)

// idle are the times of a run in which nothing ran, as far as leaving them out shows more of the rest.
func (r *runState) idle() [][2]float64 {
	end := r.end()
	all := r.history.Idle(end, leastIdle)
	work := end.Sub(r.history.Began())
	for _, gap := range all {
		work -= gap[1].Sub(gap[0])
	}
	out := [][2]float64{}
	for _, gap := range all {
		if took := gap[1].Sub(gap[0]); took*idleShare >= work && len(out) < mostIdle {
			out = append(out, [2]float64{r.after(gap[0]), r.after(gap[1])})
		}
	}
	return out
}
