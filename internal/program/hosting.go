package program

import (
	"context"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/internal/runtime"
)

// Hosting has the flags of a command that makes runs for other processes.
type Hosting struct {
	std   Streams
	flags Session
	http  httpFlags
}

// NewHosting registers the flags.
func NewHosting(cmd *cobra.Command, std Streams) *Hosting {
	h := &Hosting{std: std}
	f := &h.flags
	f.RegisterRuns(cmd, "warn")
	f.RegisterGrace(cmd)
	f.RegisterPipeline(cmd)
	f.Audit.Register(cmd)
	f.History.serves = true
	f.History.RegisterRecorded(cmd)
	h.http.registerObserved(cmd)
	ChoiceFlag(cmd, &f.logFormat, "log-format", "", "log format", "text", "json")
	return h
}

// Around puts what wrap returns around the journal of all runs: tests stop processes at an event by it. nil is
// nothing.
func (h *Hosting) Around(wrap func(execution.Journal) execution.Journal) { h.flags.around = wrap }

// Open loads graph files, of which all must be valid. The caller closes the Host.
func (h *Hosting) Open(ctx context.Context, files []string) (*runtime.Host, error) {
	h.flags.metric = h.http.address != ""
	o, err := h.flags.Process(h.std)
	if err != nil {
		return nil, err
	}
	return runtime.OpenHost(ctx, o, files)
}

// Observe serves what others ask of the process, with --http: its metrics, and whether it lives and can record runs. It returns when
// ctx ends.
func (h *Hosting) Observe(ctx context.Context, host *runtime.Host) error {
	listen, err := h.http.listener()
	if err != nil {
		return err
	}
	if listen == nil {
		<-ctx.Done()
		return nil
	}
	listen.std = h.std
	return listen.Serve(ctx, host.Served())
}

// Check checks the flags that Observe needs.
func (h *Hosting) Check() error {
	_, err := h.http.listener()
	return err
}
