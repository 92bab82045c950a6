package cli

import (
	"context"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/observe"
	"toolgraph/internal/server"
)

// observeFlags switch on what watches runs.
type observeFlags struct {
	otel    bool
	metrics bool
}

func (f *observeFlags) registerTraces(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.otel, "otel", false, "send a trace of each run over OTLP/HTTP to where OTEL_EXPORTER_OTLP_ENDPOINT says")
}

func (f *observeFlags) register(cmd *cobra.Command) {
	f.registerTraces(cmd)
	cmd.Flags().BoolVar(&f.metrics, "metrics", false, "with --http: tell Prometheus about runs and calls at /metrics")
}

// lastTraces is how long the last traces may take to be sent.
const lastTraces = 3 * time.Second

// plug switches on what the flags say; metrics go to face.
func (f *observeFlags) plug(ctx context.Context, into *plugs, face *httpFace, log *slog.Logger) error {
	if f.metrics {
		if face == nil {
			return usagef("--metrics goes with --http ADDR, which is not there")
		}
		m := observe.NewMetrics()
		face.options.Metrics = m.Handler()
		into.callers = append(into.callers, m.Caller)
		into.watches = append(into.watches, func(ctx context.Context, g *graph.Graph) (context.Context, execution.Observer) {
			return ctx, m.Run(g.Tool.Name.Value)
		})
	}
	if f.otel {
		traces, err := observe.NewTraces(ctx, versionText(), log)
		if err != nil {
			return err
		}
		into.callers = append(into.callers, traces.Caller)
		into.watches = append(into.watches, func(ctx context.Context, g *graph.Graph) (context.Context, execution.Observer) {
			return traces.Run(ctx, g.Tool.Name.Value, server.TraceOf(ctx))
		})
		into.closers = append(into.closers, func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTraces)
			defer cancel()
			_ = traces.Close(ctx) // what could not be sent is in the log
		})
	}
	return nil
}
