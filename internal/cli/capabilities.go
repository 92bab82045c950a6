package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/authoring/inspect"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/project"
	"toolgraph/internal/project/capabilities"
)

func newCapabilities(std program.Streams) *cobra.Command {
	var format, file, servers string
	var vars program.VarValues
	var anyEnv bool
	cmd := &cobra.Command{
		Use:   "capabilities FILE [TOOL]",
		Short: "Show what the tools of a file can do",
		Long: `Show what the listed tools of a graph file can do, or one tool: the upstream tools that they
call, by themselves or by the graphs that they call, with the worst effects first; whether
the user must agree, or is asked; what allow and the limits permit; the servers with their
commands or addresses, and the names of the environment variables that they read.

The effect of a call is the one that its node gives, else the one in the lock file beside
the graph file, else it is unknown, which counts as destroy. A lock is enforced with
--locked only. No server is started.`,
		Example: `  toolgraph capabilities graph.yaml
  toolgraph capabilities graph.yaml tidy_up
  toolgraph capabilities graph.yaml --any-env --format json    in CI`,
		Args:       program.Args(0, 1, "a graph file and a tool"),
		SuggestFor: []string{"permissions", "effects"},
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := project.Load(cmd.Context(), file, config.Options{ServersFile: servers, AssumeEnv: anyEnv, Vars: vars})
			if err != nil {
				return err
			}
			graphs := p.Capable()
			if len(args) == 1 {
				one, err := program.GraphOf(cmd.Context(), p, args[0])
				if err != nil {
					return err
				}
				graphs = []*graph.Graph{one}
			}
			answer := inspect.CapabilitiesOf(p, graphs)
			if format == "json" {
				return program.EncodeJSON(std.Out, answer)
			}
			return printCapabilities(std.Out, answer, len(args) == 1)
		},
	}
	program.FormatFlag(cmd, &format)
	program.ServersFlag(cmd, &servers)
	vars.Register(cmd)
	program.AnyEnvFlag(cmd, &anyEnv)
	return program.TakesGraph(cmd, &file)
}

// verbs introduce the calls with an effect, to be read at a glance.
var verbs = map[config.Effect]string{
	config.DestroyEffect: "may destroy", capabilities.Unknown: "unknown", config.WriteEffect: "writes", config.ReadEffect: "reads",
}

// printCapabilities prints capabilities for people: what can do most harm first.
func printCapabilities(w io.Writer, c *inspect.Capabilities, one bool) error {
	var rows [][]string
	row := func(cells ...string) {
		for len(cells) > 0 && cells[len(cells)-1] == "" {
			cells = cells[:len(cells)-1]
		}
		rows = append(rows, cells)
	}
	whole := c.Whole()
	for _, call := range whole.Calls {
		row(append([]string{verbs[call.Effect], call.Name()}, remarks(call, one)...)...)
	}
	if len(whole.Calls) == 0 {
		row("calls no server")
	}
	for _, t := range c.Tools {
		if t.Asks {
			row("asks the user", t.Name, asking(t))
		}
	}
	for _, s := range c.Servers {
		row("server", s.Name, s.Identity, transport(s.Transport))
		if len(s.Variables) > 0 {
			row("", "", "reads "+wording.List(s.Variables))
		}
	}
	if one {
		row("limits", limitsText(c.Tools[0].Limits))
	}
	seen := map[string]bool{}
	for _, t := range c.Tools {
		for _, a := range t.Allow {
			if !seen[a.At] {
				seen[a.At] = true
				row("allow", a.At, allowText(a))
			}
		}
	}
	if c.Lock == "" && len(whole.Calls) > 0 {
		row("effects", "by the file only: without a lock, those of other calls are unknown")
	}
	return program.WriteTable(w, rows)
}

// remarks are the cells after the name of a call: how it is restricted, and who makes it.
func remarks(c capabilities.Call, one bool) []string {
	how := ""
	switch {
	case c.Refused:
		how = "refused by allow"
	case c.Confirmed:
		how = "if the user agrees"
	}
	if one {
		return []string{how, "node " + c.Node}
	}
	return []string{how, wording.List(c.Tools)}
}

func asking(t capabilities.Tool) string {
	if len(t.AskNodes) == 0 {
		return "questions of its servers"
	}
	return "node " + wording.List(t.AskNodes)
}

func transport(t config.Transport) string {
	switch t {
	case config.Stdio:
		return "a program"
	case config.Exec:
		return "programs, one for each call (--allow-exec)"
	case config.StreamableHTTP, config.SSE:
	}
	return "by HTTP"
}

func limitsText(l capabilities.Limits) string {
	text := fmt.Sprintf("%s, %d ms", wording.Count(l.Executions, "node execution"), l.Time)
	if l.Calls > 0 {
		text += ", " + wording.Count(l.Calls, "call")
	}
	if l.ResultBytes > 0 {
		text += fmt.Sprintf(", results of %d bytes", l.ResultBytes)
	}
	return text
}

// allowText says what an allow permits.
func allowText(a capabilities.Allow) string {
	parts := []string{}
	if a.Calls != nil {
		parts = append(parts, "calls "+orNone(a.Calls))
	}
	if a.Effects != nil {
		parts = append(parts, "effects "+orNone(a.Effects))
	}
	if len(a.Confirm) > 0 {
		parts = append(parts, "confirm "+orNone(a.Confirm))
	}
	return strings.Join(parts, "; ")
}

// orNone lists words, "none" without any.
func orNone[T ~string](words []T) string {
	if len(words) == 0 {
		return "none"
	}
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	return wording.List(list)
}
