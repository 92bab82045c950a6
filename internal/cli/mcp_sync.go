package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
	"toolgraph/internal/project/registry"
	"toolgraph/mcpclient"
)

type syncFlags struct {
	sessionFlags
	format string
}

// syncResult is what asking a server has given.
type syncResult struct {
	Name    string         `json:"name"`
	Scope   registry.Scope `json:"scope"`
	Tools   []string       `json:"tools"` // names
	Added   []string       `json:"added,omitempty"`
	Changed []string       `json:"changed,omitempty"`
	Removed []string       `json:"removed,omitempty"`
	Error   string         `json:"error,omitempty"`
}

func newMCPSync(std program.Streams) *cobra.Command {
	flags := syncFlags{}
	cmd := &cobra.Command{
		Use:   "sync [NAME]",
		Short: "Ask servers for their tools and store the definitions",
		Long: `Start one server of the registries, or all, and store the definitions of their tools.
toolgraph check then checks calls to them without starting a server, mcp tools lists them,
and the shell completes their names.

A server that fails does not stop the others; its stored tools stay as they are. The exit
code is 1 when a server fails.`,
		Example: `  toolgraph mcp sync
  toolgraph mcp sync github --json`,
		Args: program.Args(0, 1, "at most one name"), ValidArgsFunction: completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			entries, err := entriesNamed(args)
			if err != nil {
				return err
			}
			return flags.run(cmd.Context(), std, entries)
		},
	}
	cmd.Flags().StringVar(&flags.LogLevel, "log-level", "error", "`level` of the log on standard error: debug, info, warn or error")
	flags.Chosen = cmd.Flags().Changed
	program.FormatFlag(cmd, &flags.format)
	return cmd
}

// entriesNamed returns the server of a name, or all servers that names stand for.
func entriesNamed(names []string) ([]registry.Entry, error) {
	all := registry.All(".")
	if len(names) > 0 {
		e, err := registry.Find(all, names[0])
		if err != nil {
			return nil, program.Usagef("%w", err)
		}
		return []registry.Entry{e}, nil
	}
	var entries []registry.Entry
	for _, r := range all {
		more, err := r.List()
		if err != nil {
			return nil, err
		}
		for _, e := range more {
			if !slices.ContainsFunc(entries, func(first registry.Entry) bool { return first.Name == e.Name }) {
				entries = append(entries, e)
			}
		}
	}
	return entries, nil
}

// syncedAtOnce is how many servers are started at the same time.
const syncedAtOnce = 4

func (f *syncFlags) run(ctx context.Context, std program.Streams, entries []registry.Entry) error {
	results := make([]syncResult, len(entries))
	var waiting sync.WaitGroup
	slots := make(chan struct{}, syncedAtOnce)
	shown := newProgress(std.Err, nil, "registries")
	begin := shown.work("server")
	for i, e := range entries {
		slots <- struct{}{}
		waiting.Go(func() {
			defer func() { <-slots }()
			results[i] = syncResult{Name: e.Name, Scope: e.Scope, Tools: []string{}}
			end := begin(i, len(entries), e.Name, listsTools)
			defer func() { end(results[i].Error != "", "") }() // the table has its line
			own := *f                                          // each session has a terminal of its own
			own.lists = true
			if err := own.sync(ctx, std, e, &results[i]); err != nil {
				results[i].Error = err.Error()
			}
		})
	}
	waiting.Wait()
	shown.clear()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := f.print(std, results); err != nil {
		return err
	}
	if slices.ContainsFunc(results, func(r syncResult) bool { return r.Error != "" }) {
		return program.ErrReported
	}
	return nil
}

// sync asks one server and stores its tools. Its error has no secrets.
func (f *syncFlags) sync(ctx context.Context, std program.Streams, e registry.Entry, result *syncResult) error {
	file, err := e.Load()
	if err != nil {
		return err
	}
	l, err := f.start(ctx, std, &project.Project{File: file})
	if err != nil {
		return err
	}
	defer l.Close()
	u := file.Servers[0]
	tools, err := l.Pool.ListTools(ctx, e.Name)
	if err != nil {
		return errors.New(file.Secrets.Redact(err.Error()))
	}
	before, err := registry.StoredTools(u)
	if err != nil || before == nil { // damaged ones are replaced
		before = &registry.Synced{}
	}
	if err := registry.StoreTools(u, tools, time.Now(), file.Secrets); err != nil {
		return err
	}
	now, err := registry.StoredTools(u)
	if err != nil {
		return err
	}
	result.Tools = append(result.Tools, now.Names()...)
	result.compare(before, now)
	return nil
}

// compare sets how the tools of a server differ from those that it listed before.
func (r *syncResult) compare(before, now *registry.Synced) {
	for _, t := range now.Tools {
		old, known := before.Tool(t.Name)
		switch {
		case !known:
			r.Added = append(r.Added, t.Name)
		case !sameTool(old, t):
			r.Changed = append(r.Changed, t.Name)
		}
	}
	for _, t := range before.Tools {
		if _, still := now.Tool(t.Name); !still {
			r.Removed = append(r.Removed, t.Name)
		}
	}
}

// sameTool reports whether two stored definitions are equal.
func sameTool(a, b mcpclient.Tool) bool {
	return a.Title == b.Title && a.Description == b.Description && bytes.Equal(a.InputSchema, b.InputSchema) &&
		bytes.Equal(a.OutputSchema, b.OutputSchema) && bytes.Equal(a.Annotations, b.Annotations)
}

func (f *syncFlags) print(std program.Streams, results []syncResult) error {
	if f.format == "json" {
		return program.EncodeJSON(std.Out, results)
	}
	if len(results) == 0 {
		fmt.Fprintln(std.Err, "toolgraph: no servers are registered; add one: toolgraph mcp add NAME -- COMMAND")
		return nil
	}
	var rows [][]string
	for _, r := range results {
		text := wording.Count(len(r.Tools), "tool")
		for _, part := range []struct {
			what  string
			names []string
		}{{"new", r.Added}, {"changed", r.Changed}, {"removed", r.Removed}} {
			if n := len(part.names); n > 0 && n < len(r.Tools)+len(r.Removed) {
				text += fmt.Sprintf("; %s: %s", part.what, wording.List(part.names))
			}
		}
		if r.Error != "" {
			text = "failed: " + strings.ReplaceAll(r.Error, "\n", "; ")
		}
		rows = append(rows, []string{r.Name, text})
	}
	return program.WriteTable(std.Out, rows)
}
