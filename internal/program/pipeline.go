package program

import (
	"github.com/spf13/cobra"

	"toolgraph/config"
)

// RegisterPipeline adds --pipeline and --plan.
func (f *Session) RegisterPipeline(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.pipeline, "pipeline", false, "add the tool pipeline, which makes several calls in one request, as pipeline: true in the file does")
	cmd.Flags().BoolVar(&f.plan, "plan", false, "add the tools search_tools and run_plan, which runs steps that a client sends, as plan: true in the file does")
}

// Planned adds what --plan does.
func (f *Session) Planned() { f.plan = true }

// FileOptions says how the graph file of the flags is loaded.
func (f *Session) FileOptions() config.Options {
	return config.Options{ServersFile: f.Servers, Pipeline: f.pipeline, Plan: f.plan, Vars: f.Vars}
}
