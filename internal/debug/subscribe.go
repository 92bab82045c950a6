package debug

import "toolgraph/execution"

// subscriber is somebody who is told of a session. Records come all, in order, as they
// are kept anyway; states only as fast as they are taken, so that a slow subscriber never
// holds the run or fills memory.
type subscriber struct {
	out    chan Event
	news   chan struct{} // something has changed
	leave  chan struct{} // closed when the subscription ends
	told   int           // records told
	change int           // the change of state that was told last
}

// Subscribe tells of records from an index on, and of the state: first as it is now, then
// whenever it changes. The channel is closed after the end of the run was told, or by
// cancel, which may be called more than once.
func (s *Session) Subscribe(from int) (events <-chan Event, cancel func()) {
	sub := &subscriber{
		out: make(chan Event), news: make(chan struct{}, 1), leave: make(chan struct{}), told: max(from, 0), change: -1,
	}
	sub.news <- struct{}{}
	if !s.controller.subscribe(s, sub) {
		close(sub.out)
		return sub.out, func() {}
	}
	return sub.out, func() { s.unsubscribe(sub) }
}

// subscribe starts the goroutine that tells, unless the controller is closed.
func (c *Controller) subscribe(s *Session, sub *subscriber) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	s.mu.Lock()
	s.subscribers[sub] = true
	s.mu.Unlock()
	c.running.Go(func() {
		defer close(sub.out)
		defer s.unsubscribe(sub)
		for {
			select {
			case <-sub.leave:
				return
			case <-sub.news:
			}
			if s.tell(sub) {
				return
			}
		}
	})
	return true
}

// tell tells what is new and reports whether that was all there will be.
func (s *Session) tell(sub *subscriber) (over bool) {
	s.mu.Lock()
	var records []execution.Record
	if sub.told < len(s.records) {
		records = s.records[sub.told:len(s.records):len(s.records)]
	}
	state, changed := s.copied(), s.changes != sub.change
	sub.change = s.changes
	s.mu.Unlock()
	for i := range records {
		sub.told++
		if !sub.send(Event{Seq: sub.told, Kind: KindRecord, Record: &records[i]}) {
			return true
		}
	}
	if changed && !sub.send(Event{Seq: sub.told, Kind: KindState, State: &state}) {
		return true
	}
	return state.Status.Ended()
}

// send reports whether somebody is still there.
func (sub *subscriber) send(e Event) bool {
	select {
	case sub.out <- e:
		return true
	case <-sub.leave:
		return false
	}
}

// changed tells subscribers that there is news. s.mu is held.
func (s *Session) changed() {
	s.changes++
	for sub := range s.subscribers {
		select {
		case sub.news <- struct{}{}:
		default: // told already
		}
	}
}

func (s *Session) unsubscribe(sub *subscriber) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.subscribers[sub] {
		delete(s.subscribers, sub)
		close(sub.leave)
	}
}

func (s *Session) unsubscribeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sub := range s.subscribers {
		delete(s.subscribers, sub)
		close(sub.leave)
	}
}
