package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/serving/pipeline"
	"toolgraph/internal/serving/server"
)

// registerPipeline adds --pipeline.
func (f *sessionFlags) registerPipeline(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.pipeline, "pipeline", false, "add the tool pipeline, which makes several calls in one request, as pipeline: true in the file does")
}

// options says how the graph file of the flags is loaded.
func (f *sessionFlags) options() config.Options {
	return config.Options{ServersFile: f.servers, Pipeline: f.pipeline, Vars: f.vars}
}

// offers reports whether a server offers a tool, and whether that is known.
func (l *loaded) offers(ctx context.Context, server, tool string) (offered, known bool) {
	_, offered, err := l.pool.Offered(ctx, server, tool)
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
