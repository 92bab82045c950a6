package mcpclient

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

// supervisor is a process that ends the groups of all servers should we die without
// doing so ourselves, SIGKILL included. It sits at the other end of a pipe: we tell it
// each group that begins and ends, and when the pipe closes it ends those left. It is
// started with the first server and costs that start nothing, since nobody waits for
// it. Where there is none to be had, servers still see the end of their input.
type supervisor struct {
	mu     sync.Mutex // guards what follows; held over short writes to the pipe only
	pipe   *os.File
	done   chan struct{} // closed when the process has ended
	groups map[int]bool
}

func newSupervisor() *supervisor { return &supervisor{groups: map[int]bool{}} }

// ready starts the supervisor unless it runs.
func (s *supervisor) ready() error {
	cmd := supervisorCommand()
	if cmd == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pipe != nil {
		select {
		case <-s.done: // somebody ended it: another takes its place
			closeAll(s.pipe)
			s.pipe = nil
		default:
			return nil
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd.Stdin = r
	err = cmd.Start()
	closeAll(r)
	if err != nil {
		closeAll(w)
		return fmt.Errorf("cannot start the supervisor: %w", err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // it has nothing to tell
	}()
	s.pipe, s.done = w, done
	for group := range s.groups {
		s.tell('+', group)
	}
	return nil
}

// watch adds a group to those that must not outlive us.
func (s *supervisor) watch(group int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups[group] = true
	s.tell('+', group)
}

// forget drops a group that has ended, before its id can mean another.
func (s *supervisor) forget(group int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.groups, group)
	s.tell('-', group)
}

func (s *supervisor) tell(sign byte, group int) {
	if s.pipe == nil {
		return
	}
	line := strconv.AppendInt([]byte{sign, ' '}, int64(group), 10)
	_, _ = s.pipe.Write(append(line, '\n')) // a dead supervisor is replaced by ready
}

// close ends the supervisor.
func (s *supervisor) close() {
	s.mu.Lock()
	pipe, done := s.pipe, s.done
	s.pipe = nil
	s.mu.Unlock()
	if pipe != nil {
		closeAll(pipe)
		<-done
	}
}
