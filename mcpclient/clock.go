package mcpclient

import "time"

// clock is the time that a pool goes by. A test brings its own, so that what waits is
// tested without waiting. Deadlines of pipes and sockets are the system's, always.
type clock struct {
	now       func() time.Time
	after     func(time.Duration) <-chan time.Time
	afterFunc func(time.Duration, func()) timer
}

// timer is what afterFunc gives: a *time.Timer.
type timer interface {
	Stop() bool
	Reset(d time.Duration) bool
}

// systemClock is the clock of every pool outside tests.
func systemClock() clock {
	return clock{
		now: time.Now, after: time.After,
		afterFunc: func(d time.Duration, f func()) timer { return time.AfterFunc(d, f) },
	}
}
