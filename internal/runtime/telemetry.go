package runtime

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/telemetry/audit"
	"toolgraph/internal/telemetry/observe"
)

// sendTime is how long the last traces and log records may take to be sent.
const sendTime = 3 * time.Second

// observe enables metrics and traces as the flags and the environment say.
func (s *Session) observe(ctx context.Context, log *slog.Logger) error {
	t, err := observe.New(ctx, observe.Options{Version: s.given.Version, Log: log, OTLP: s.given.OTLP, Scraped: s.given.Metrics})
	if err != nil || t == nil {
		return err
	}
	s.metrics, s.telemetry = t.Handler(), t
	s.callers = append(s.callers, t.Caller)
	s.watches = append(s.watches, func(ctx context.Context, g *graph.Graph) (context.Context, execution.Observer) {
		return t.Run(ctx, g.Tool.Name.Value)
	})
	s.closers = append(s.closers, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
		defer cancel()
		t.Close(ctx)
	})
	return nil
}

// exportAudit returns the function that sends the lines of the audit log to the collector; nil
// without OTLP, and when the environment disables it.
func (s *Session) exportAudit(ctx context.Context, log *slog.Logger) (func(*audit.Line), error) {
	if !s.given.OTLP {
		return nil, nil
	}
	logs, err := observe.NewLogs(ctx, s.given.Version, log)
	if err != nil || logs == nil {
		return nil, err
	}
	s.closers = append(s.closers, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTime)
		defer cancel()
		logs.Close(ctx) // it logs what could not be sent
	})
	return func(l *audit.Line) {
		logs.Send(observe.LogRecord{
			Time: l.Time, Event: "toolgraph.audit." + string(l.Kind), Body: l.Text(), IsWarning: l.IsWarning(), Attributes: l.Attributes(),
		})
	}, nil
}

// audit opens the audit log, if there is one. It is the innermost caller: what it reports was sent.
func (s *Session) audit(ctx context.Context) error {
	if s.given.Audit.File == "" {
		return nil
	}
	log, err := s.warnings() // only the log reports that lines are lost
	if err != nil {
		return err
	}
	export, err := s.exportAudit(ctx, log)
	if err != nil {
		return err
	}
	opened, err := audit.Open(ctx, s.given.Audit.File, audit.Options{Version: s.given.Version, MaxBytes: s.given.Audit.MaxBytes, Logger: log, Export: export})
	if err != nil {
		return err
	}
	s.callers = slices.Insert(s.callers, 0, opened.Caller)
	s.watches = append(s.watches, opened.Run)
	s.closers = append(s.closers, func() {
		if err := opened.Close(); err != nil {
			log.Error("the end of the audit log was not written", "error", err)
		}
	})
	return nil
}
