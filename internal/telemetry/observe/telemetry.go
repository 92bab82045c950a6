package observe

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"sync"

	"go.opentelemetry.io/otel"

	"toolgraph/execution"
)

// Options of New.
type Options struct {
	Version string       // of this program
	Log     *slog.Logger // warnings about what could not be sent; it becomes the error log of the OpenTelemetry library, for the whole process

	OTLP    bool // send traces and metrics, as OpenTelemetry's environment variables say
	Scraped bool // Handler serves metrics
}

// Telemetry is traces and metrics, or one of them. It observes runs and their calls, requests of
// clients (it is a server.Observer) and requests to upstream servers (a mcpclient.Observer). Safe for
// concurrent use.
type Telemetry struct {
	traces  *Traces  // nil: none
	metrics *Metrics // nil: none
	scraped bool
	failed  func(error) // logs what could not be sent
}

// New starts what the options want; nil when that is nothing. The error is about a variable of the
// environment.
func New(ctx context.Context, opts Options) (*Telemetry, error) {
	sends := func(signal string) (bool, error) {
		if !opts.OTLP {
			return false, nil
		}
		return isSent(os.Getenv, signal)
	}
	spans, err := sends("traces")
	if err != nil {
		return nil, err
	}
	points, err := sends("metrics")
	if err != nil {
		return nil, err
	}
	if !spans && !points && !opts.Scraped {
		return nil, nil //nolint:nilnil // nothing is observed
	}
	warnings := &warnings{log: opts.Log}
	t := &Telemetry{scraped: opts.Scraped, failed: func(err error) { warnings.warn("telemetry could not be sent", "error", err) }}
	if spans || points {
		if err := checkVariables(os.Getenv); err != nil {
			return nil, err
		}
		otel.SetErrorHandler(otel.ErrorHandlerFunc(t.failed))
	}
	if spans {
		if t.traces, err = newExportedTraces(ctx, opts.Version); err != nil {
			return nil, err
		}
	}
	switch {
	case points:
		t.metrics, err = newExportedMetrics(ctx, opts.Version, opts.Scraped)
	case opts.Scraped:
		t.metrics = NewMetrics()
	}
	if err != nil {
		t.Close(ctx)
		return nil, err
	}
	t.Read(readSelf(opts.Version))
	return t, nil
}

// Handler serves the metrics in Prometheus's text format; nil without Scraped.
func (t *Telemetry) Handler() http.Handler {
	if !t.scraped {
		return nil
	}
	return t.metrics.Handler()
}

// Caller returns a caller that observes the calls that it passes to next.
func (t *Telemetry) Caller(next execution.ToolCaller) execution.ToolCaller {
	if t.traces != nil {
		next = t.traces.Caller(next)
	}
	if t.metrics != nil {
		next = t.metrics.Caller(next)
	}
	return next
}

// Run returns the observer of one run of a tool, and the context that the run must have.
func (t *Telemetry) Run(ctx context.Context, tool string) (context.Context, execution.Observer) {
	var spans, figures execution.Observer
	if t.traces != nil {
		ctx, spans = t.traces.Run(ctx, tool)
	}
	if t.metrics != nil {
		figures = t.metrics.Run(tool)
	}
	return ctx, execution.ObserverFunc(func(e execution.Event) {
		if spans != nil {
			spans.Observe(e)
		}
		if figures != nil {
			figures.Observe(e)
		}
	})
}

// Close sends what is left, all at once, until ctx ends. What cannot be sent is logged and dropped.
func (t *Telemetry) Close(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() {
		if t.traces != nil {
			t.closed(t.traces.Close(ctx))
		}
	})
	all.Go(func() {
		if t.metrics != nil {
			t.closed(t.metrics.Close(ctx))
		}
	})
	all.Wait()
}

func (t *Telemetry) closed(err error) {
	if err != nil {
		t.failed(err)
	}
}
