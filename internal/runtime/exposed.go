package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/serving/expose"
	"toolgraph/internal/serving/server"
	"toolgraph/mcpclient"
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

// wholeResult makes the answer of a run of one call what its server has answered, unless that has more bytes than most; 0:
// any number. An answer that was not made for this client, or none, is that of the run.
func (l *Loaded) wholeResult(run server.Run, name string, most int) server.Run {
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
		if answered && whole != nil && answer.Notice == nil {
			if content, size := contentOf(whole); most == 0 || size <= most {
				l.named(name, content)
				answer.Whole = whole
				return answer, nil
			}
		}
		return answer, err
	}
}

// contentOf returns the content of a result, and how many bytes of JSON it has, or its texts where that is less: a text
// is often the JSON of structuredContent, escaped.
func contentOf(result []byte) (content value.Value, size int) {
	var parts struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(result, &parts) != nil {
		return nil, len(result)
	}
	content, err := value.Decode(parts.Content)
	if err != nil {
		return nil, len(parts.Content)
	}
	items, _ := content.([]any)
	for _, item := range items {
		if o, is := item.(value.Object); is {
			if text, _ := o.Get("text"); text != nil {
				if s, isText := text.(string); isText {
					size += len(s)
					continue
				}
			}
		}
		size += value.Size(item)
	}
	return content, size
}
