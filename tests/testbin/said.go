package testbin

import (
	"bytes"
	"sync"
)

// Said is what a process has written so far, for its output or its errors. Safe for concurrent use.
type Said struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

// Write adds to it.
func (s *Said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

// String returns it.
func (s *Said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
