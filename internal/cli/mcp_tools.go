package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/internal/wording"
	"toolgraph/mcpclient"
)

type toolsFlags struct {
	serverFlags
	search string
	live   bool
}

func newMCPTools(std streams) *cobra.Command {
	flags := toolsFlags{}
	cmd := &cobra.Command{
		Use:   "tools [NAME]",
		Short: "List the tools of registered servers",
		Long: `List the tools of a registered server, or of all. They are those that the servers listed
when they were last synced (toolgraph mcp sync), so that no server is started; the time is
printed. With --live, the servers are asked now.

With --search, list the tools that have all these words in their names, titles or
descriptions.`,
		Example: `  toolgraph mcp tools github
  toolgraph mcp tools --search 'create issue'`,
		Args: args(0, 1, "at most one name of a server"), ValidArgsFunction: completeServers,
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args)
		},
	}
	cmd.Flags().StringVar(&flags.search, "search", "", "list only tools with all these `words`")
	cmd.Flags().BoolVar(&flags.live, "live", false, "start the servers and ask them")
	flags.registerServers(cmd)
	formatFlag(cmd, &flags.format)
	return cmd
}

func (f *toolsFlags) run(ctx context.Context, std streams, names []string) error {
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
	all := []*listed{}
	failed := false
	for _, s := range servers {
		l, err := f.list(ctx, std, s)
		if err != nil {
			if len(names) > 0 || ctx.Err() != nil {
				return err
			}
			failed = true // the others are listed
			l = &listed{Server: s.name, File: s.file, Reason: err.Error(), Tools: []mcpclient.Tool{}}
		}
		l.Tools = searched(l.Tools, f.search)
		all = append(all, l)
	}
	if f.format == "json" {
		err = writeEscaped(std.out, object{"servers": all}, "  ")
	} else {
		err = f.print(std, all)
	}
	if err == nil && failed {
		return errReported
	}
	return err
}

// list returns the tools of a server. The error has no secrets of its entry.
func (f *toolsFlags) list(ctx context.Context, std streams, s *found) (*listed, error) {
	if !f.live {
		return s.stored()
	}
	l, err := f.open(ctx, std, s)
	if err != nil {
		return nil, err
	}
	defer l.close()
	return s.ask(ctx, l)
}

func (f *toolsFlags) print(std streams, all []*listed) error {
	if len(all) == 0 {
		printLine(std.err, "toolgraph: no servers are registered; add one: toolgraph mcp add, or toolgraph mcp import")
		return nil
	}
	for _, l := range all {
		if l.Reason == "" && len(l.Tools) == 0 && f.search != "" {
			continue
		}
		if l.Reason != "" {
			printLine(std.out, "%s: %s", l.Server, l.Reason)
			continue
		}
		printLine(std.out, "%s: %s, %s", l.Server, wording.Count(len(l.Tools), "tool"), l.when())
		var rows [][]string
		for _, t := range l.Tools {
			rows = append(rows, []string{"  " + l.Server + "." + t.Name, summaryOf(&t)})
		}
		if err := writeTable(std.out, rows); err != nil {
			return err
		}
	}
	return nil
}

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

// searched returns the tools that have all words, first those that have them in their names.
func searched(tools []mcpclient.Tool, words string) []mcpclient.Tool {
	wanted := strings.Fields(strings.ToLower(words))
	has := func(text string) bool {
		text = strings.ToLower(text)
		return !slices.ContainsFunc(wanted, func(word string) bool { return !strings.Contains(text, word) })
	}
	byName, byText := []mcpclient.Tool{}, []mcpclient.Tool{}
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
