package server

import (
	"context"
	"log/slog"
	"time"

	"toolgraph/config"
	"toolgraph/expressions/schema"
	"toolgraph/expressions/value"
)

// Tool is one tool as the server offers it.
type Tool struct {
	Def   *config.Tool // name, texts, schemas and annotations
	Run   Run
	Calls []Upstream // the tools that it calls, to derive annotations from

	// The schemas of Def, where Run validates by them, as an engine does. With a nil Input
	// the server compiles the schemas and validates.
	Input, Output *schema.Schema
}

// Upstream is a tool of another server.
type Upstream struct{ Server, Tool string }

// Run makes one run of a tool and is its value. The error's text is for people and
// complete. The functions of watch that are not nil are called as the run goes on.
type Run func(ctx context.Context, args value.Value, watch Watch) (value.Value, error)

// Info is what we say about ourselves.
type Info struct {
	Name, Version, Title, Instructions string
}

// Hints are what a tool says about its effects; nil is unknown.
type Hints struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// Options of New. Only Info.Name is required.
type Options struct {
	Info  Info
	Tools []Tool // in the order in which they are listed

	Resources Resources // nil: there are none

	Logger  *slog.Logger    // nil: nothing is logged
	Secrets *config.Secrets // nil: nothing is redacted

	// ToolHints tells what is known of an upstream tool without starting its server.
	// It is asked at each tools/list, for tools without annotations of their own.
	ToolHints func(server, tool string) (Hints, bool)

	MaxRuns      int           // runs at once, over all connections; default 1024
	MaxLineBytes int           // a client's line; default 16 MiB
	Grace        time.Duration // how long calls in flight go on after the input's end; default 30 s
	WindDown     time.Duration // how long calls may go on that were cancelled because ServeStdio ends; default 2 s
	Stall        time.Duration // how long a client may leave a full output unread; default 30 s
}

// The defaults of Options.
const (
	defaultMaxRuns      = 1024
	defaultMaxLineBytes = 16 << 20
	defaultGrace        = 30 * time.Second
	defaultStall        = 30 * time.Second
)

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.MaxRuns = positive(o.MaxRuns, defaultMaxRuns)
	o.MaxLineBytes = positive(o.MaxLineBytes, defaultMaxLineBytes)
	o.Grace = positive(o.Grace, defaultGrace)
	o.WindDown = positive(o.WindDown, windDown)
	o.Stall = positive(o.Stall, defaultStall)
	return o
}

// positive is n, or the default for a number that is not positive.
func positive[N int | time.Duration](n, otherwise N) N {
	if n > 0 {
		return n
	}
	return otherwise
}
