package runtime

import (
	"context"

	"toolgraph/execution"
	"toolgraph/internal/serving/expose"
	"toolgraph/internal/serving/server"
)

// exposedOf returns the exposed tools of a server, and what identifies them; mu is held.
func (o *offering) exposedOf(ctx context.Context, name string) (tools []server.Tool, shown shownTools) {
	listed := o.tools[name]
	for i := range listed {
		e, why, err := o.of.Expose.Tool(ctx, name, &listed[i])
		if why != "" {
			o.warn("exposed tool "+name+"."+listed[i].Name+": "+why, "server", name, "tool", listed[i].Name)
		}
		if err != nil || e == nil {
			continue
		}
		e.Tool.Run = o.of.runExposed(o.engine, e, name)
		tools = append(tools, e.Tool)
		definition := append(append([]byte{}, e.Tool.InputJSON...), e.Tool.OutputJSON...)
		definition = append(append(definition, listed[i].Annotations...), listed[i].Icons()...)
		shown = append(shown, shownTool{name, listed[i].Name, e.Tool.Def.Title.Value + "\n" + e.Tool.Def.Description.Value + "\n" + string(definition)})
	}
	return tools, shown
}

// runExposed makes the runs of an exposed tool. They are made in this process, also where those of the file are made
// elsewhere: its servers are here, and a worker would only pass on one call.
func (l *Loaded) runExposed(engine *execution.Engine, e *expose.Exposed, name string) server.Run {
	return l.wholeResult(l.runnerOf(engine, e.Graph, e.Typed, true), name, e.Graph.Limits.MaxResultBytes)
}
