package runtime

import (
	"context"
	"errors"
	"slices"
	"sync"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/serving/server"
	"toolgraph/mcpclient"
)

// exposed returns the tools of servers that clients see, as the servers list them now. They are started for that, all at
// once; what one that does not start has is left out.
func (l *Loaded) exposed(ctx context.Context, engine *execution.Engine) (offered []server.Tool) {
	servers := l.Expose.Servers()
	lists := make([][]mcpclient.Tool, len(servers))
	var asking sync.WaitGroup
	for i, u := range servers {
		asking.Go(func() {
			list, err := l.Pool.OfferedTools(ctx, u.Name.Value)
			if err != nil {
				l.Log.Warn("no tool of the server is exposed: it cannot list them", "server", u.Name.Value, "error", err)
			}
			lists[i] = list
		})
	}
	asking.Wait()
	for i, list := range lists {
		for k := range list {
			if l.Lock != nil && !l.isLocked(servers[i].Name.Value, &list[k]) {
				continue // it would be refused
			}
			e, why, err := l.Expose.Tool(ctx, servers[i].Name.Value, &list[k])
			if why != "" {
				l.Log.Warn("an exposed tool: "+why, "server", servers[i].Name.Value, "tool", list[k].Name)
			}
			if err != nil || e == nil || slices.ContainsFunc(offered, func(o server.Tool) bool { return o.Def.Name.Value == e.Tool.Def.Name.Value }) {
				continue
			}
			e.Tool.Run = wholeResult(l.runner(engine, e.Graph), e.Graph.Limits.MaxResultBytes)
			offered = append(offered, e.Tool)
		}
	}
	return offered
}

// wholeResult makes the answer of a run of one call what its server has answered, unless that has more bytes than most; 0:
// any number. An answer that was not made for this client, or none, is that of the run.
func wholeResult(run server.Run, most int) server.Run {
	return func(ctx context.Context, args value.Value, watch server.Watch) (server.Answer, error) {
		var mu sync.Mutex
		var whole []byte
		answer, err := run(mcpclient.WithWhole(ctx, func(result []byte) {
			mu.Lock()
			defer mu.Unlock()
			whole = result
		}), args, watch)
		var step *execution.StepError
		answered := err == nil || errors.As(err, &step) && step.Code() == execution.CodeTool && !errors.Is(err, execution.ErrSuspended)
		mu.Lock()
		defer mu.Unlock()
		if answered && whole != nil && answer.Notice == nil && (most == 0 || len(whole) <= most) {
			answer.Whole = whole
			return answer, nil
		}
		return answer, err
	}
}
