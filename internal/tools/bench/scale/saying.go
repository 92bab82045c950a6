package main

import (
	"bytes"
	"sync"
)

// saying is what a process prints. Safe for concurrent use.
type saying struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *saying) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *saying) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}
