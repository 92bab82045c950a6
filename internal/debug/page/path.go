package page

import "net/http"

type pathJSON struct {
	Names []string `json:"names"`
	Path  []int    `json:"path"`  // of the steps from the one asked for on: indexes of names
	Edits []int    `json:"edits"` // indexes of steps
}

func (s *Server) getPath(r *http.Request) (any, error) {
	now, err := s.frame(r)
	if err != nil {
		return nil, err
	}
	from, err := number(r, "from", 0, len(now.records))
	if err != nil {
		return nil, err
	}
	out := pathJSON{Names: []string{}, Path: []int{}, Edits: []int{}}
	index := map[string]int{}
	for i, rec := range now.records[from:] {
		n, ok := index[rec.NodeID]
		if !ok {
			n = len(out.Names)
			index[rec.NodeID] = n
			out.Names = append(out.Names, rec.NodeID)
		}
		out.Path = append(out.Path, n)
		if rec.Edited {
			out.Edits = append(out.Edits, from+i)
		}
	}
	return out, nil
}
