package runtime

import (
	"context"
	"sync"
	"time"
)

const (
	// firstAnswers is how long a start waits for the first answers of servers. What comes later appears later.
	firstAnswers = 5 * time.Second
	// askAgain is the pause before a server is asked again that gave no answer; it doubles up to askAgainMost.
	askAgain     = 5 * time.Second
	askAgainMost = 5 * time.Minute
	// askLeast is the least time between two questions to a server that says that its lists change.
	askLeast = time.Second
)

// asking asks servers what they offer, each for as long as it is asked: again after a failure, and when the answer may
// have changed.
type asking struct {
	// ask asks a server, and takes its answer.
	ask func(ctx context.Context, server string) error
	// changes returns a channel that gets a value when the answer of a server may have changed.
	changes func(server string) (changed <-chan struct{}, end func())
	after   func(time.Duration) <-chan time.Time
}

// begin asks all servers at once, in goroutines of their own until ctx ends, and returns when all have answered or failed
// once, or have not within firstAnswers.
func (a *asking) begin(ctx context.Context, servers []string, running *sync.WaitGroup) {
	var first sync.WaitGroup
	for _, server := range servers {
		first.Add(1)
		running.Go(func() { a.follow(ctx, server, sync.OnceFunc(first.Done)) })
	}
	all := make(chan struct{})
	running.Go(func() {
		first.Wait()
		close(all)
	})
	select {
	case <-all:
	case <-a.after(firstAnswers):
	case <-ctx.Done():
	}
}

// follow asks a server until ctx ends; it calls answered after the first answer or failure.
func (a *asking) follow(ctx context.Context, server string, answered func()) {
	defer answered()
	changed, end := a.changes(server)
	defer end()
	for pause := askAgain; ; {
		err := a.ask(ctx, server)
		answered()
		var again <-chan time.Time
		if err != nil {
			again = a.after(pause)
			pause = min(2*pause, askAgainMost)
		} else {
			pause = askAgain
		}
		least := a.after(askLeast)
		select {
		case <-ctx.Done():
			return
		case <-again:
		case <-changed:
			select {
			case <-least:
			case <-ctx.Done():
				return
			}
		}
	}
}
