package program

import (
	"cmp"
	"context"
	"log/slog"

	"toolgraph/config"
	"toolgraph/internal/project"
	"toolgraph/internal/runtime"
	"toolgraph/internal/telemetry/observe"
)

// Logger makes a logger that redacts the secrets.
func (f *Session) Logger(std Streams, level string, secrets *config.Secrets) (*slog.Logger, error) {
	log, err := observe.NewLogger(std.Err, cmp.Or(level, "error"), cmp.Or(f.logFormat, "text"), secrets)
	if err != nil {
		return nil, &runtime.OptionsError{Err: err}
	}
	return log, nil
}

// Project loads and checks the graph file of the flags.
func (f *Session) Project(ctx context.Context) (*project.Project, error) {
	return project.Load(ctx, f.Graph, f.FileOptions())
}

// Process returns the process that the flags describe.
func (f *Session) Process(std Streams) (o runtime.Options, err error) {
	if err := f.Audit.check(); err != nil {
		return o, err
	}
	o = runtime.Options{
		Graph: f.Graph, File: f.FileOptions(), Version: VersionText(), Self: self(), Locked: f.Locked, Programs: f.allowExec, Grace: f.grace,
		Log:  runtime.Logging{To: std.Err, Level: f.LogLevel, Format: f.logFormat, Exact: f.Chosen != nil && f.Chosen("log-level")},
		OTLP: f.otel, Metrics: f.metric, Audit: runtime.Audit{File: f.Audit.File, MaxBytes: int64(f.Audit.bytes)},
		Console: console{std.Err}, Asker: f.Asker, Elsewhere: f.elsewhere, Around: f.around,
	}
	if o.Tokens, err = tokenStore(); err != nil {
		return o, err
	}
	o.History, err = f.History.recorded()
	return o, err
}

// recorded returns how runs are recorded; nil when they are not.
func (f *HistoryFlags) recorded() (*runtime.History, error) {
	if !f.Records {
		return nil, nil //nolint:nilnil // runs are not recorded
	}
	if err := f.check(); err != nil || f.Off {
		return nil, err
	}
	h := &runtime.History{
		Required: f.durable || f.named() != "", Durable: f.durable, MaxValue: int(f.maxValue), Serves: f.serves, Keep: f.keep.Retention(),
	}
	if h.Place, h.Missing = f.Place(); f.keep.IsGiven() {
		h.Unused = f.warnOfPolicy
	}
	return h, nil
}
