package cli

import (
	"context"

	"github.com/spf13/cobra"

	"toolgraph/execution"
	"toolgraph/internal/runtime"
)

// Hosting has the flags of a command that makes runs for other processes.
type Hosting struct {
	std   streams
	flags session
}

// Hosting registers the flags.
func (p Parts) Hosting(cmd *cobra.Command) *Hosting {
	h := &Hosting{std: p.std}
	f := &h.flags
	f.registerRuns(cmd, "warn")
	f.registerGrace(cmd)
	f.registerPipeline(cmd)
	f.audit.register(cmd)
	f.history.serves = true
	f.history.registerRecorded(cmd)
	choiceFlag(cmd, &f.logFormat, "log-format", "", "log format", "text", "json")
	return h
}

// Around puts what wrap returns around the journal of all runs: tests stop processes at an event by it. nil is
// nothing.
func (h *Hosting) Around(wrap func(execution.Journal) execution.Journal) { h.flags.around = wrap }

// Open loads graph files, of which all must be valid. The caller closes the Host.
func (h *Hosting) Open(ctx context.Context, files []string) (*runtime.Host, error) {
	o, err := h.flags.process(h.std)
	if err != nil {
		return nil, err
	}
	return runtime.OpenHost(ctx, o, files)
}
