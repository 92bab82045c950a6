package runtime

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/graph"
	"toolgraph/internal/runtime/results"
	"toolgraph/internal/serving/pipeline"
	"toolgraph/internal/serving/server"
	"toolgraph/internal/telemetry/audit"
)

// LogFindings logs findings of a graph file.
func LogFindings(log *slog.Logger, found config.Diagnostics) {
	for _, d := range found {
		level := slog.LevelError
		if d.Severity == config.Warning {
			level = slog.LevelWarn
		}
		log.Log(context.Background(), level, d.Message, "at", d.Pos.String(), "code", d.Code, "hint", d.Hint)
	}
}

// warnUnlisted warns of a file whose tools are all hidden: clients get an empty list.
func warnUnlisted(l *Loaded) {
	if len(l.Served()) == 0 && len(l.Graphs) > 0 {
		l.Log.Warn("all tools of the graph file are hidden, so clients see no tool; remove hidden: true from those that clients may call", "file", l.File.Path)
	}
}

// warnPrograms warns of servers whose programs no call may start.
func warnPrograms(l *Loaded) {
	for _, u := range l.File.Servers {
		if u.Transport == config.Exec && !l.given.Programs {
			l.Log.Warn("programs are off: calls of this server fail with not-allowed; if you trust its programs, add --allow-exec", "server", u.Name.Value)
		}
	}
}

// finishTime is how long a run may take to end once its calls have.
const finishTime = 2 * time.Second

// endRuns makes runs end softly some time after the process is asked to stop: they are suspended after the call in
// flight. The grace is that of the calls.
func (s *Session) endRuns(ctx context.Context, before, grace time.Duration) {
	s.grace = grace
	stop, release := stopping(ctx, before, func() {
		s.Log.Info("stopping: runs are suspended after the call in flight")
	})
	s.options = append(s.options, execution.WithStop(stop))
	s.closers = append(s.closers, release)
}

// tools returns the graphs of the file as the server offers them, without hidden ones: for the
// server these do not exist. Where results can be too large, there is a tool that reads them.
func (l *Loaded) tools(engine *execution.Engine) (offered, reader []server.Tool, err error) {
	graphs := l.Listed()
	offered = make([]server.Tool, len(graphs), len(graphs)+1)
	for i, g := range graphs {
		offered[i] = l.tool(engine, g)
	}
	if l.Plan != nil {
		search, err := l.searchTool()
		if err != nil {
			return nil, nil, err
		}
		last := &offered[len(offered)-1]
		last.Run, last.Calls = l.planRunner(last.Run), l.planCalls()
		offered = append(offered, search)
	}
	for _, g := range l.Served()[len(graphs):] {
		offered = append(offered, l.tool(engine, g))
	}
	of := l.resultsFile()
	if len(of.Limits) == 0 && of.Exposed == nil {
		return offered, nil, nil
	}
	read, err := l.large.Tool(of)
	return offered, []server.Tool{read}, err
}

// tool returns a tool of the file as the server offers it.
func (l *Loaded) tool(engine *execution.Engine, g *graph.Graph) server.Tool {
	t := server.Tool{Def: g.Tool, Run: l.runner(engine, g), Calls: upstreamsOf(g), Input: g.Input, Output: g.Output, View: l.view()}
	if g.Tool.Prompt {
		t.Prompt = promptRun(t.Run, g.Tool)
	}
	return t
}

// upstreamsOf returns the upstream tools that a run of a graph can call, those of called graphs
// too, each once for each effect.
func upstreamsOf(g *graph.Graph) (all []server.Upstream) {
	for _, reached := range g.Reached() {
		for _, node := range reached.CallNodes() {
			if n, isMCP := node.(*graph.MCP); isMCP {
				call := server.Upstream{Server: n.Server, Tool: n.Tool, Effect: n.Effect}
				if !slices.Contains(all, call) {
					all = append(all, call)
				}
			}
		}
	}
	return all
}

// runner runs one graph on the engine, and reports its events to the client.
func (l *Loaded) runner(engine *execution.Engine, g *graph.Graph) server.Run {
	return l.runnerOf(engine, g, g.Output != nil, l.elsewhere == nil)
}

// runnerOf is runner for a tool that is typed for clients or not, which means that it has an outputSchema, and whose runs
// are made here or elsewhere.
func (l *Loaded) runnerOf(engine *execution.Engine, g *graph.Graph, typed, here bool) server.Run {
	passesOn := canPassOn(g)
	return func(ctx context.Context, args value.Value, watch server.Watch) (server.Answer, error) {
		started()
		ctx, release := withGrace(ctx, l.grace)
		defer release()
		ctx = audit.WithSubject(ctx, server.SubjectOf(ctx))
		ctx = through(ctx, func(d *door) { d.listed, d.typed = g, typed })
		var details *resultDetails // nil: not kept
		if passesOn {
			details = new(resultDetails)
			ctx = context.WithValue(ctx, resultDetailsKey{}, details)
		}
		var report *reporter // nil: the client does not listen
		if watch.Step != nil {
			report = newReporter(watch)
			if watch.Progress != nil {
				ctx = WithUpstreamProgress(ctx, report.upstreamProgress)
			}
		}
		var result *execution.Result
		var err error
		if !here {
			result, err = l.runElsewhere(ctx, engine, g, args, report)
		} else {
			result, err = l.answerCall(ctx, engine, g, args, report)
			err = again(ctx, result, err)
		}
		if result == nil { // the arguments are invalid, so there was no run
			return refusedAnswer(err), err
		}
		why := err
		answer, err := l.answer(ctx, g, typed, result, err)
		answer.Shown = l.shown(g, args, result, why)
		if err == nil && details != nil {
			answer.Details = details.of(g, result)
		}
		return answer, err
	}
}

// answer returns the answer to a client: the value of the run, or a notice about one that is too
// large.
func (l *Loaded) answer(ctx context.Context, g *graph.Graph, typed bool, result *execution.Result, err error) (server.Answer, error) {
	v, spilled := resultOf(g, result, err)
	answer := server.Answer{Value: v}
	if used := UsageOf(result); used.Calls > 0 || l.isPlan(g) { // without calls there is nothing that it could have saved
		answer.Usage = &used
	}
	if spilled > 0 {
		notice, failed := l.large.Put(ctx, l.resultsFile(), results.Result{
			Run: result.RunID, Tool: g.Tool.Name.Value, Value: answer.Value, Bytes: spilled, Typed: typed,
		})
		return server.Answer{Notice: notice, Usage: answer.Usage}, failed
	}
	return answer, l.failureFor(g, result, err)
}

// resultsFile returns the graph file as one whose large results are stored.
func (l *Loaded) resultsFile() results.File {
	of := results.File{Path: About(l.Project).File, Secrets: l.File.Secrets, Limits: map[string]int{}}
	of.Seen = func(tool string) bool {
		return slices.ContainsFunc(l.Served(), func(g *graph.Graph) bool { return g.Tool.Name.Value == tool }) || l.Expose != nil && l.Expose.Exposes(tool)
	}
	for _, g := range l.Served() {
		if limit := g.Limits.MaxResultBytes; limit > 0 {
			of.Limits[g.Tool.Name.Value] = limit
		}
	}
	if limit := l.File.Limits.MaxResultBytes; limit > 0 && l.Expose != nil {
		of.Exposed = func(tool string) int {
			if l.Expose.Exposes(tool) {
				return limit
			}
			return 0
		}
	}
	return of
}

// UsageOf returns what a run has used.
func UsageOf(r *execution.Result) server.Usage {
	return server.Usage{Run: r.RunID, Calls: r.Usage.Calls, BytesIn: r.Usage.BytesIn, Duration: r.Usage.Duration}
}

// Offers reports whether a server offers a tool, and whether that is known.
func (l *Loaded) Offers(ctx context.Context, server, tool string) (offered, known bool) {
	_, offered, err := l.Pool.Offered(ctx, server, tool)
	return offered, err == nil
}

// refusedAnswer returns the answer about arguments that start no run: of a pipeline the result in
// which all steps are skipped.
func refusedAnswer(err error) server.Answer {
	var refused *pipeline.Refusal
	if errors.As(err, &refused) {
		return server.Answer{Value: refused.Value}
	}
	return server.Answer{}
}
