package temporal

import (
	"context"

	"github.com/spf13/cobra"

	"toolgraph/internal/program"
	"toolgraph/internal/runtime"
)

func newServe(std program.Streams) *cobra.Command {
	var to connection
	var queues queues
	cmd := program.NewServe(std, func(ctx context.Context, s *runtime.Session) (runtime.Elsewhere, func(), error) {
		c, err := to.dial(ctx, s.Log, s.Measures(measured))
		if err != nil {
			return nil, nil, err
		}
		return &remote{client: c, queues: queues, log: s.Log, warned: map[string]bool{}}, c.Close, nil
	}, nil)
	cmd.Short = "Serve the graphs of a file as MCP tools whose runs are made by workers"
	cmd.Long = `Serve the graphs of a file as MCP tools, over stdio or with --http, as "toolgraph serve" does. A
call starts a workflow on Temporal, whose id is that of the run, and waits for its end; the run
is made by a worker that has the same version of the graph (toolgraph-temporal worker).

Progress, cancellations and questions to the user pass through this process. It can be
restarted without harm to runs. It needs the same --state as the workers: results are
read there. What workers decide is said to them: --locked, --allow-exec and --var must be the same there.`
	cmd.Example = `  toolgraph-temporal serve graph.yaml --address temporal:7233 --state postgres://toolgraph@db/toolgraph
  toolgraph-temporal serve graph.yaml --http :8080`
	to.register(cmd)
	queues.register(cmd)
	return cmd
}
