package cli

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/telemetry/audit"
	"toolgraph/internal/telemetry/observe"
)

// sendTime is how long the last traces and log records may take to be sent.
const sendTime = 3 * time.Second

// observe enables metrics and traces as the flags and the environment say.
func (s *session) observe(ctx context.Context, log *slog.Logger) error {
	t, err := observe.New(ctx, observe.Options{Version: versionText(), Log: log, OTLP: s.flags.otel, Scraped: s.flags.metric})
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
// without --otel, and when the environment disables it.
func (s *session) exportAudit(ctx context.Context, log *slog.Logger) (func(*audit.Line), error) {
	if !s.flags.otel {
		return nil, nil
	}
	logs, err := observe.NewLogs(ctx, versionText(), log)
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

// auditFlags say where the audit log is.
type auditFlags struct {
	file  string
	bytes byteSize
	given func(flag string) bool // reports whether the command line has a flag
}

func (f *auditFlags) register(cmd *cobra.Command) {
	f.bytes, f.given = audit.DefaultMaxBytes, cmd.Flags().Changed
	cmd.Flags().StringVar(&f.file, "audit", "", "append calls, questions and refusals to the audit log `file`; refuse calls that are not read-only while it cannot be written (see toolgraph audit)")
	cmd.Flags().Var(&f.bytes, "audit-bytes", "size above which the audit log is rotated; it is rotated each day as well")
}

// check rejects flags that contradict each other.
func (f *auditFlags) check() error {
	switch {
	case f.given == nil:
		return nil // of a command without these flags
	case f.given("audit") && f.file == "":
		return usagef("--audit is empty; name a file")
	case f.given("audit-bytes") && f.file == "":
		return usagef("--audit-bytes requires --audit FILE")
	case f.bytes == 0:
		return usagef("--audit-bytes is 0, expected a size such as 64MiB")
	}
	return nil
}

// audit opens the audit log, if there is one. It is the innermost caller: what it reports was sent.
func (s *session) audit(ctx context.Context, secrets *config.Secrets) error {
	f := &s.flags.audit
	if err := f.check(); err != nil || f.file == "" {
		return err
	}
	log, err := s.warnings(secrets) // only the log reports that lines are lost
	if err != nil {
		return err
	}
	export, err := s.exportAudit(ctx, log)
	if err != nil {
		return err
	}
	opened, err := audit.Open(ctx, f.file, audit.Options{Version: versionText(), MaxBytes: int64(f.bytes), Logger: log, Export: export})
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
