package server

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"toolgraph/internal/base/wording"
)

const (
	// mostWatched bounds the tasks of one subscription.
	mostWatched = 100
	// watchAgain is the pause before a task is looked at again that could not be read.
	watchAgain = time.Second
)

// watched returns the tasks that a subscription names, without those that are not there for its client.
func (s *Server) watched(ctx context.Context, m *message) (ids []string, fault *rpcError) {
	var want struct {
		Tasks json.RawMessage `json:"taskIds"`
	}
	if s.opts.Tasks == nil || json.Unmarshal(m.notifications, &want) != nil || want.Tasks == nil {
		return nil, nil //nolint:nilerr // a request of another form names no tasks
	}
	if !declaresTasks(m.capabilities) {
		return nil, errUndeclared
	}
	var named []string
	if json.Unmarshal(want.Tasks, &named) != nil {
		return nil, invalidParams("notifications.taskIds: expected an array of ids of tasks, got " + describeRaw(want.Tasks))
	}
	if len(named) > mostWatched {
		return nil, invalidParams("notifications.taskIds: " + wording.Count(len(named), "task") + " are named, at most 100 are allowed; open more subscriptions")
	}
	seen := map[string]bool{}
	for _, id := range named {
		if seen[id] {
			continue
		}
		seen[id] = true
		switch _, err := s.opts.Tasks.Look(ctx, id, ""); {
		case err == nil:
			ids = append(ids, id)
		case !errors.Is(err, ErrNoTask):
			return nil, s.taskFault(err)
		}
	}
	return ids, nil
}

// watch sends a notification for each status that tasks have from now on, the present one included, until ctx ends.
// all is closed when no more will come; stop ends ctx and waits for that.
func (s *Server) watch(ctx context.Context, subscription []byte, ids []string, in place, send func(fill func([]byte) []byte)) (all <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	for _, id := range ids {
		watching.Go(func() { s.watchOne(ctx, subscription, id, in, send) })
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		watching.Wait()
	}()
	return ended, func() {
		cancel()
		<-ended
	}
}

func (s *Server) watchOne(ctx context.Context, subscription []byte, id string, in place, send func(fill func([]byte) []byte)) {
	for state := ""; ; {
		t, err := s.opts.Tasks.Look(ctx, id, state)
		var members []byte
		var fault *rpcError
		if err == nil {
			members, fault = s.detailed(ctx, &t, in)
		}
		switch {
		case ctx.Err() != nil || errors.Is(err, ErrNoTask):
			return
		case err != nil || fault != nil:
			select {
			case <-time.After(watchAgain):
			case <-ctx.Done():
			}
			continue
		}
		state = t.State
		send(func(dst []byte) []byte {
			dst = append(appendNotification(dst, "notifications/tasks", subscription), ',')
			return append(append(dst, members...), "}}\n"...)
		})
		if t.Status == TaskCompleted || t.Status == TaskCancelled {
			return
		}
	}
}
