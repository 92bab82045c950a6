package cli

import (
	"context"

	"toolgraph/internal/debugger/page"
	"toolgraph/internal/debugger/web"
	"toolgraph/internal/runtime"
)

// views is what hosts show of runs: parts of the debugger's page.
type views struct{}

// HTML returns the document.
func (views) HTML() string { return web.View() }

// Show returns what the document shows of a call.
func (views) Show(ctx context.Context, l *runtime.Loaded, call runtime.ShownCall) []byte {
	shown := page.Shown{Project: l.Project, Believe: l.Believe, Tool: call.Tool, Args: call.Args, Run: call.Run, Err: call.Err, Values: call.Values}
	raw, err := shown.JSON(ctx)
	if err != nil {
		l.Log.Debug("a view of a run shows nothing", "tool", call.Tool, "error", err)
	}
	return raw
}
