package journal

import "toolgraph/execution"

// Usage is what a run has used. TokensSaved is an estimate, see execution.Used.
type Usage struct {
	execution.Used
	TokensSaved int `json:"tokensSaved"`
}

// usageOf returns what an end has recorded, nil for nil.
func usageOf(u *execution.Used) *Usage {
	if u == nil {
		return nil
	}
	return &Usage{Used: *u, TokensSaved: u.TokensSaved()}
}

// used returns what was recorded.
func (u *Usage) used() *execution.Used {
	if u == nil {
		return nil
	}
	return &u.Used
}

// isShortUsed reports whether the numbers of what a run has used are in bounds; nil has none.
func isShortUsed(u *execution.Used) bool {
	short := u == nil || min(u.Calls, u.BytesIn, u.BytesOut) >= 0 && max(u.Calls, u.BytesIn, u.BytesOut) <= mostNumber
	for i := 0; short && u != nil && i < len(u.Servers); i++ {
		s := u.Servers[i]
		short = min(s.Calls, s.BytesIn) >= 0 && max(s.Calls, s.BytesIn) <= mostNumber
	}
	return short
}

func (w *chunkWriter) used(u *execution.Used) {
	w.number(u.Calls)
	w.number(u.BytesIn)
	w.number(u.BytesOut)
	w.number(len(u.Servers))
	for _, s := range u.Servers {
		w.name(s.Server)
		w.number(s.Calls)
		w.number(s.BytesIn)
	}
	w.number(len(u.Chain))
	for _, tool := range u.Chain {
		w.name(tool)
	}
}

func (r *chunkReader) endedWith() (execution.Event, error) {
	e, err := r.ended()
	u := &execution.Used{Calls: r.Number(), BytesIn: r.Number(), BytesOut: r.Number()}
	for n := r.Number(); n > 0 && !r.broken; n-- {
		u.Servers = append(u.Servers, execution.ServerUse{Server: r.name(), Calls: r.Number(), BytesIn: r.Number()})
	}
	for n := r.Number(); n > 0 && !r.broken; n-- {
		u.Chain = append(u.Chain, r.name())
	}
	e.End.Used = u
	return e, err
}
