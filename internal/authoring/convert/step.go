package convert

import (
	"strconv"
	"strings"
	"time"

	"toolgraph/config"
)

// moved are the keys of nodes that steps have elsewhere, or not at all.
var moved = map[string]bool{
	"id": true, "type": true, "server": true, "tool": true, "next": true, "forEach": true, "transform": true, "message": true, "schema": true,
	"branches": true, "retry": true, "onError": true,
}

// step returns a node as a step, made of the parts of the node as it is written.
func (c *converter) step(n *config.Node, node *config.Data) *config.Data {
	step := config.NewObject()
	id := node.Get("id")
	if id == nil {
		id = config.NewText(c.inner[n])
	}
	step.Set("id", id)
	if each := node.Get("forEach"); each != nil {
		step.Set("each", each.Get("items"))
		step.Set("maxParallel", each.Get("maxParallel"))
	}
	//exhaustive:enforce
	switch n.Type {
	case config.MCPNode:
		call := *node.Get("tool")
		call.Scalar = n.Server.Value + "." + n.Tool.Value
		step.Set("call", &call)
	case config.GraphNode:
		step.Set("call", node.Get("tool"))
	case config.TransformNode:
		step.Set("expr", node.Get("transform").Get("expr"))
	case config.AskNode:
		ask := config.NewObject()
		ask.Set("message", node.Get("message"))
		ask.Set("schema", node.Get("schema"))
		step.Set("ask", ask)
	case config.ParallelNode:
		c.block(step, n, node.Get("branches"))
	case config.EntryNode, config.SwitchNode, config.ExitNode, config.StepsNode:
	}
	for i, key := range node.Keys {
		switch value := node.Items[i]; {
		case key.Value == "retry" && n.Retry != nil && n.Retry.Until.IsSet():
			poll(step, n.Retry, value)
		case key.Value == "retry":
			step.Set("retry", value)
		case key.Value == "onError" && value.Kind == config.KindObject:
			step.Set("onError", value.With("next", nil))
		case !moved[key.Value]:
			step.Set(key.Value, value)
		}
	}
	return step
}

// block writes the branches of a parallel node as a block, whose value is the object that the node had.
func (c *converter) block(step *config.Data, n *config.Node, branches *config.Data) {
	var steps []*config.Data
	var fields []string
	for i, branch := range n.Branches {
		inner := c.step(branch, branches.Items[i])
		inner.Pos = branches.Items[i].Pos
		steps = append(steps, inner)
		fields = append(fields, strconv.Quote(branch.ID.Value)+": "+c.inner[branch])
	}
	step.Set("steps", config.NewList(steps...))
	step.Set("return", "{"+strings.Join(fields, ", ")+"}")
}

// poll writes the retry of a call that is repeated until its value is the wanted one: turns, and within each of them
// attempts after failures.
func poll(step *config.Data, r *config.Retry, retry *config.Data) {
	const mostAttempts = 10 // of a retry without until
	delay := float64(min(r.Delay, r.MaxDelay) / time.Millisecond)
	repeat, failures := config.NewObject(), config.NewObject()
	repeat.Set("until", retry.Get("until"))
	repeat.Set("times", float64(r.Attempts))
	failures.Set("attempts", float64(min(r.Attempts, mostAttempts)))
	if retry.Get("delayMs") != nil || r.MaxDelay < r.Delay {
		repeat.Set("delayMs", delay)
	}
	failures.Set("delayMs", delay)
	failures.Set("backoff", 1.0)
	failures.Set("codes", retry.Get("codes"))
	failures.Set("when", retry.Get("when"))
	step.Set("repeat", repeat)
	step.Set("retry", failures)
}
