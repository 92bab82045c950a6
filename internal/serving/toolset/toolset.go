// Package toolset makes an MCP server of a description and handlers, for tools that are
// answered by Go and not by graphs: a YAML file with names, texts, schemas and
// annotations goes in, and one handler for each tool; server.Tools come out.
//
// It must not know what the tools do. The server checks arguments and answers by the
// schemas of the description.
package toolset

import (
	"context"
	"errors"
	"fmt"
	"io"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/serving/server"
)

// Handler answers one call: what it returns is the result of the tool, encoded as JSON; a
// value.Value in it has to be a Value. A *server.Notice is sent as it is. It may be called
// by several goroutines.
type Handler func(ctx context.Context, a Arguments, watch server.Watch) (any, error)

// Failure is the error of a handler whose client gets a value beside it, such as the id of a run
// that failed.
type Failure struct {
	Value any // encoded as a result is
	Err   error
}

func (f *Failure) Error() string { return f.Err.Error() }

func (f *Failure) Unwrap() error { return f.Err }

// Set is a server's description of itself and its tools, in the order of the description.
type Set struct {
	Info  server.Info
	Tools []server.Tool
}

// New returns the set of a description, which has the form of a graph file whose tools
// have no nodes. A tool whose handler is nil is left out; one without an entry in handlers
// is an error.
func New(description []byte, version string, handlers map[string]Handler) (*Set, error) {
	file, err := config.Parse("tools.yaml", description, config.Options{})
	if err != nil {
		return nil, err
	}
	about := file.Server
	set := &Set{Info: server.Info{
		Name: about.Name.Value, Version: version, Title: about.Title.Value, Instructions: about.Instructions.Value,
	}}
	for _, def := range file.Tools {
		handler, known := handlers[def.Name.Value]
		if !known {
			return nil, fmt.Errorf("tool %q has a description and no handler", def.Name.Value)
		}
		if handler != nil {
			set.Tools = append(set.Tools, server.Tool{Def: def, Run: run(handler)})
		}
	}
	return set, nil
}

func run(handler Handler) server.Run {
	return func(ctx context.Context, args value.Value, watch server.Watch) (server.Answer, error) {
		answer, err := handler(ctx, Arguments{args}, watch)
		var failure *Failure
		switch {
		case errors.As(err, &failure):
			answer = failure.Value
		case err != nil:
			return server.Answer{}, err
		}
		if notice, is := answer.(*server.Notice); is {
			return server.Answer{Notice: notice}, nil
		}
		raw, encoding := JSON(answer)
		if encoding != nil {
			return server.Answer{}, encoding
		}
		result, decoding := value.Decode(raw)
		return server.Answer{Value: result}, errors.Join(err, decoding)
	}
}

// Names returns the names of the tools.
func (s *Set) Names() []string {
	names := make([]string, len(s.Tools))
	for i, t := range s.Tools {
		names[i] = t.Def.Name.Value
	}
	return names
}

// Tool returns the tool of this name; nil when the set has none.
func (s *Set) Tool(name string) *server.Tool {
	for i := range s.Tools {
		if s.Tools[i].Def.Name.Value == name {
			return &s.Tools[i]
		}
	}
	return nil
}

// Serve answers one MCP client until its input ends. The set's own Info and Tools replace
// those of the options.
func (s *Set) Serve(ctx context.Context, in io.Reader, out io.Writer, opts server.Options) error {
	opts.Info, opts.Tools = s.Info, s.Tools
	srv, err := server.New(opts)
	if err != nil {
		return err
	}
	return srv.ServeStdio(ctx, in, out)
}

// Arguments are those of one call, an object that fits the tool's inputSchema. An argument
// that is null counts as missing.
type Arguments struct{ value.Value }

// Get returns an argument; nil when it is missing.
func (a Arguments) Get(name string) value.Value {
	given, ok := a.Value.(value.Object)
	if !ok {
		return nil
	}
	v, _ := given.Get(name)
	if v == value.Null {
		return nil
	}
	return v
}

// Text returns a string, "" when it is missing.
func (a Arguments) Text(name string) string {
	text, _ := a.Get(name).(string)
	return text
}

// Flag returns a boolean, false when it is missing.
func (a Arguments) Flag(name string) bool {
	flag, _ := a.Get(name).(bool)
	return flag
}

// Number returns a whole number, or otherwise when it is missing.
func (a Arguments) Number(name string, otherwise int) int {
	if n, ok := a.Get(name).(float64); ok {
		return int(n)
	}
	return otherwise
}

// Object returns an object, an empty one when it is missing.
func (a Arguments) Object(name string) value.Value {
	if v := a.Get(name); v != nil {
		return v
	}
	return value.NewObject(nil, nil)
}
