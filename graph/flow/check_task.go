package flow

import (
	"fmt"

	"toolgraph/config"
	"toolgraph/graph"
)

// task reports a call of a tool that runs as a task only: calls are made without tasks.
func (c *checker) task(m *graph.MCP, defined *config.Node) {
	if !knownTool(c.all.up, m.Server, m.Tool).TaskRequired {
		return
	}
	c.found.Add(defined.Tool.Pos, "task-required",
		fmt.Sprintf("tool %q of server %q can only be called as a task (execution.taskSupport: required), and calls are made without tasks, so the server refuses them", m.Tool, m.Server),
		"call another tool, or ask for a version of the server whose tool has taskSupport: optional")
}
