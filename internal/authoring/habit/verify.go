package habit

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/graphtest"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
)

// todoMark is what a step sends in place of a value that the author has to write, while the draft is verified.
func todoMark(number int) string { return "\x00todo" + strconv.Itoa(number) }

// isTodoMark reports whether a value is such a mark.
func isTodoMark(v value.Value) bool {
	text, isText := v.(string)
	return isText && strings.HasPrefix(text, "\x00todo")
}

const verifiedName = "draft"

// verify runs the draft on the recorded answers of each job, and returns where it parts from it.
func (d *Draft) verify(ctx context.Context) []error {
	parts := make([]error, len(d.Jobs))
	d.runs = make([]*recorded, len(d.Jobs))
	for i := range d.runs {
		d.runs[i] = &recorded{}
	}
	fail := func(err error) []error {
		for i := range parts {
			parts[i] = err
		}
		return parts
	}
	src, err := config.Format(verifiedName, d.file(), nil)
	if err != nil {
		return fail(err)
	}
	p, err := project.Parse(ctx, verifiedName+".yaml", src, config.Options{AssumeEnv: true})
	if err != nil {
		return fail(err)
	}
	g, err := p.Graph(verifiedName)
	if err != nil {
		return fail(err)
	}
	for i, job := range d.Jobs {
		calls := &recorded{calls: job.Calls, used: make([]bool, len(job.Calls))}
		d.runs[i] = calls
		result, err := execution.New(calls, execution.WithSequentialParts(), execution.WithSleep(noWait)).Run(ctx, g, d.Args[i])
		if err == nil {
			calls.value = result.Value
			err = calls.unmade()
		}
		parts[i] = err
	}
	return parts
}

// noWait is the wait between the turns of a repeat.
func noWait(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// file returns a graph file with the draft alone.
func (d *Draft) file() *config.Data {
	servers := config.NewObject()
	for _, name := range d.Servers() {
		servers.Set(name, config.NewObject().Set("command", "none"))
	}
	limits := config.NewObject().Set("maxNodeExecutions", float64(4*MostCalls)).Set("maxCalls", float64(MostCalls))
	return config.NewObject().Set("version", "1.0").Set("server", config.NewObject().Set("name", verifiedName).Set("version", "1.0.0")).
		Set("mcpServers", servers).Set("executionLimits", limits).
		Set("tools", config.NewList(d.Tool(verifiedName, "Makes the calls again.")))
}

// Servers returns the servers of the calls, each once.
func (d *Draft) Servers() (names []string) {
	for _, job := range d.Jobs {
		for _, c := range job.Calls {
			if !slices.Contains(names, c.Server) {
				names = append(names, c.Server)
			}
		}
	}
	return names
}

// recorded answers the calls of a job.
type recorded struct {
	calls []*Call
	mu    sync.Mutex // guards what follows
	used  []bool
	made  []graphtest.Recorded
	value value.Value // of the run
}

// CallTool answers a call that was recorded and is asked for the first time.
func (r *recorded) CallTool(_ context.Context, c execution.Call) (value.Value, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	nearest := -1
	for i, known := range r.calls {
		if r.used[i] || known.Server != c.Server || known.Tool != c.Tool {
			continue
		}
		if sameBut(c.Args, known.Args, 0) {
			r.used[i] = true
			made := graphtest.Recorded{At: c.At(), Node: c.Node, Server: c.Server, Tool: c.Tool, Args: value.JSON{Value: known.Args}, Nothing: known.Result == nil}
			made.Result.Value = known.Result
			r.made = append(r.made, made)
			return known.Result, nil
		}
		if nearest < 0 {
			nearest = i
		}
	}
	if nearest < 0 {
		return nil, fmt.Errorf("%s.%s was not called once more", c.Server, c.Tool)
	}
	return nil, fmt.Errorf("%s.%s was called with other arguments", c.Server, c.Tool)
}

// unmade is the error about calls that were not made.
func (r *recorded) unmade() error {
	for i, used := range r.used {
		if !used {
			left := len(r.used) - i
			return fmt.Errorf("the draft does not make the call of %s, and %s after it", r.calls[i].Name(), wording.Count(left-1, "call"))
		}
	}
	return nil
}

// sameBut reports whether arguments are the recorded ones, but for the marks of what the author has to write.
func sameBut(sent, known value.Value, depth int) bool {
	if isTodoMark(sent) {
		return true
	}
	if depth > deepest {
		return false
	}
	if list, isList := sent.([]any); isList {
		other, is := known.([]any)
		if !is || len(list) != len(other) {
			return false
		}
		for i := range list {
			if !sameBut(list[i], other[i], depth+1) {
				return false
			}
		}
		return true
	}
	object, isObject := value.ObjectOf(sent)
	if !isObject {
		return value.Same(sent, known)
	}
	other, is := value.ObjectOf(known)
	if !is || object.Len() != other.Len() {
		return false
	}
	for _, key := range object.Keys() {
		part, _ := object.Get(key)
		want, has := other.Get(key)
		if !has || !sameBut(part, want, depth+1) {
			return false
		}
	}
	return true
}
