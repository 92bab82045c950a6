package mcpclient

// Load is what a server does now. Of several pools with this server it is the sum.
type Load struct {
	Running    int // connections; a server of type exec has none
	Connecting int // starts that have not ended
	InFlight   int // calls, also those that wait for a start
	Waiting    int // calls that wait, because maxInFlight calls are in flight, or by rate
}

// Loads returns the load of each server of the pools that are open, by the name of its own entry. It waits for nothing.
func (s *Shared) Loads() map[string]Load {
	all := map[string]Load{}
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := map[*upstream]bool{} // a server belongs to several pools
	for l := range s.open {
		for name, u := range l.pool.servers {
			if l.pool.shared[name] != nil || seen[u] {
				continue
			}
			seen[u] = true
			of, one := all[name], u.load()
			all[name] = Load{of.Running + one.Running, of.Connecting + one.Connecting, of.InFlight + one.InFlight, of.Waiting + one.Waiting}
		}
	}
	return all
}

func (u *upstream) load() Load {
	l := Load{InFlight: len(u.slot), Waiting: int(u.waiting.Load())}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.current != nil && u.current.version != "" && u.current.alive() {
		l.Running = 1
	}
	if u.starting != nil {
		l.Connecting = 1
	}
	return l
}
