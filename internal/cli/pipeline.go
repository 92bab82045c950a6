package cli

import (
	"github.com/spf13/cobra"

	"toolgraph/config"
)

// registerPipeline adds --pipeline.
func (f *session) registerPipeline(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.pipeline, "pipeline", false, "add the tool pipeline, which makes several calls in one request, as pipeline: true in the file does")
}

// options says how the graph file of the flags is loaded.
func (f *session) options() config.Options {
	return config.Options{ServersFile: f.servers, Pipeline: f.pipeline, Vars: f.vars}
}
