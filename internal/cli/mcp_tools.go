package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"toolgraph/expressions/shape"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/runtime"
	"toolgraph/mcpclient"
)

type toolsFlags struct {
	serverFlags
	search string
	live   bool
}

func newMCPTools(std program.Streams) *cobra.Command {
	flags := toolsFlags{}
	cmd := &cobra.Command{
		Use:   "tools [NAME]",
		Short: "List the tools of servers",
		Long: `List the tools of a registered server, or of all, with their arguments; * marks required
ones. They are those that the servers listed when they were last synced (toolgraph mcp sync),
so that no server is started; the time is printed. With --live, the servers are asked now.

With -g, list the tools of the servers of a graph file instead, and of the files that it
imports (ALIAS.SERVER): as they are locked in the lock file beside it, which has only those
that the graphs call; as servers with registry: true were last synced; and the programs of
servers of type exec. A server of which nothing is known is asked, and standard error says so.

With --search, list the tools that have all these words in their names, titles or
descriptions. --json prints the whole definitions, each with its source: server, lock, sync
or file.`,
		Example: `  toolgraph mcp tools github
  toolgraph mcp tools --search 'create issue'
  toolgraph mcp tools -g graph.yaml --live`,
		Args: program.Args(0, 1, "at most one name of a server"), ValidArgsFunction: completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args)
		},
	}
	cmd.Flags().StringVar(&flags.search, "search", "", "list only tools with all these `words`")
	cmd.Flags().BoolVar(&flags.live, "live", false, "ask the servers, whatever is known of them")
	flags.registerServers(cmd)
	program.FormatFlag(cmd, &flags.format)
	return cmd
}

func (f *toolsFlags) run(ctx context.Context, std program.Streams, names []string) error {
	servers, err := f.candidates(ctx)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		one := named(servers, names[0])
		if one == nil {
			return f.unknownServer(servers, names[0])
		}
		servers = []*found{one}
	}
	all, errs := f.list(ctx, std, servers, "")
	failed := false
	for i, s := range servers {
		if err := errs[i]; err != nil {
			if len(names) > 0 || ctx.Err() != nil {
				return err
			}
			failed = true // the others are listed
			all[i] = &listed{Server: s.name, File: s.file, Reason: err.Error(), Tools: []listedTool{}}
		}
		all[i].Tools = searched(all[i].Tools, f.search)
	}
	if f.format == "json" {
		err = program.WriteEscaped(std.Out, object{"servers": all}, "  ")
	} else {
		err = f.print(std, all)
	}
	if err == nil && failed {
		return program.ErrReported
	}
	return err
}

// list returns the tools of each server, or its error, which has no secrets of its entry. A tool is
// the one that is wanted, "" for all. Servers that have to be asked are asked several at once.
func (f *toolsFlags) list(ctx context.Context, std program.Streams, servers []*found, tool string) ([]*listed, []error) {
	all, errs := make([]*listed, len(servers)), make([]error, len(servers))
	var asked []int
	for i, s := range servers {
		if !f.live {
			all[i], errs[i] = s.stored()
			if errs[i] != nil || s.entry != nil || all[i].has(tool) {
				continue
			}
			program.PrintLine(std.Err, "toolgraph: asking server %s for its tools: %s", wording.Quote(s.name), all[i].missing(tool))
		}
		asked = append(asked, i)
	}
	var ofGraph *runtime.Loaded // which all servers of the graph file share
	var failure error
	if f.Graph != "" && len(asked) > 0 {
		if ofGraph, failure = f.load(ctx, std); failure == nil {
			defer ofGraph.Close()
		}
	}
	var asking sync.WaitGroup
	slots := make(chan struct{}, syncedAtOnce)
	for _, i := range asked {
		if errs[i] = failure; failure != nil {
			continue
		}
		slots <- struct{}{}
		asking.Go(func() {
			defer func() { <-slots }()
			all[i], errs[i] = f.ask(ctx, std, servers[i], ofGraph)
		})
	}
	asking.Wait()
	return all, errs
}

// ask returns the tools that a server lists now. ofGraph is nil for a server of a registry.
func (f *toolsFlags) ask(ctx context.Context, std program.Streams, s *found, ofGraph *runtime.Loaded) (*listed, error) {
	if ofGraph != nil {
		return s.ask(ctx, ofGraph)
	}
	l, err := f.open(ctx, std, s)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return s.ask(ctx, l)
}

func (f *toolsFlags) print(std program.Streams, all []*listed) error {
	if len(all) == 0 {
		if f.Graph != "" {
			program.PrintLine(std.Err, "toolgraph: %s has no servers", f.Graph)
		} else {
			program.PrintLine(std.Err, "toolgraph: no servers are registered; add one: toolgraph mcp add, or toolgraph mcp import")
		}
		return nil
	}
	for _, l := range all {
		if l.Reason == "" && len(l.Tools) == 0 && f.search != "" {
			continue
		}
		if l.Reason != "" {
			program.PrintLine(std.Out, "%s: %s", l.Server, l.Reason)
			continue
		}
		program.PrintLine(std.Out, "%s: %s, %s", l.Server, wording.Count(len(l.Tools), "tool"), l.when())
		var rows [][]string
		for _, t := range l.Tools {
			rows = append(rows, []string{"  " + shortened(l.Server+"."+t.Name, nameShown), parametersOf(t.InputSchema), summaryOf(&t.Tool)})
		}
		if err := program.WriteTable(std.Out, rows); err != nil {
			return err
		}
	}
	return nil
}

// nameShown is how many characters of a name a row has room for: those that the protocol allows.
const nameShown = 128

// summaryShown is how many characters of a description a row has room for.
const summaryShown = 72

// summaryOf returns what a tool does in one line.
func summaryOf(t *mcpclient.Tool) string {
	first, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n")
	if first == "" {
		first = t.Title
	}
	return shortened(first, summaryShown)
}

// argumentsShown is how many characters of arguments a row has room for, apart from the last one.
const argumentsShown = 40

// parametersOf lists the arguments of a tool in one line, required ones first and marked.
func parametersOf(schema []byte) string {
	var required, optional []string
	for _, field := range shape.OfSchema(schema).Fields() {
		if field.Optional {
			optional = append(optional, field.Name)
		} else {
			required = append(required, field.Name+"*")
		}
	}
	all := slices.Concat(required, optional)
	shown, length := 0, 0
	for shown < len(all) && length < argumentsShown {
		length += len(all[shown]) + len(", ")
		shown++
	}
	line := shortened(strings.Join(all[:shown], ", "), 2*argumentsShown)
	if rest := len(all) - shown; rest > 0 {
		line += fmt.Sprintf(", +%d", rest)
	}
	return line
}

// searched returns the tools that have all words, first those that have them in their names.
func searched(tools []listedTool, words string) []listedTool {
	wanted := strings.Fields(strings.ToLower(words))
	has := func(text string) bool {
		text = strings.ToLower(text)
		return !slices.ContainsFunc(wanted, func(word string) bool { return !strings.Contains(text, word) })
	}
	byName, byText := []listedTool{}, []listedTool{}
	for _, t := range tools {
		switch {
		case has(t.Name):
			byName = append(byName, t)
		case has(t.Name + "\n" + t.Title + "\n" + t.Description):
			byText = append(byText, t)
		}
	}
	return append(byName, byText...)
}
