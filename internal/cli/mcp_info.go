package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/expressions/shape"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/project/lock"
)

type infoFlags struct {
	serverFlags
	live bool
}

func newMCPInfo(std program.Streams) *cobra.Command {
	flags := infoFlags{}
	cmd := &cobra.Command{
		Use:   "info NAME.TOOL",
		Short: "Show the definition of a tool of a server",
		Long: `Show what a tool of a registered server does, its arguments with types and defaults, its
annotations, and what it returns. The definition is the one of the last sync, so that no
server is started; with --live, the server is asked now. Texts are the server's own.

With -g, the server is one of a graph file, or ALIAS.SERVER of a file that it imports. The
definition is the one of the lock file beside the graph file; else that of the last sync;
else the server is asked, and standard error says so. --json prints the whole schemas, and
the source of the definition: server, lock, sync or file.`,
		Example: `  toolgraph mcp info github.create_issue
  toolgraph mcp info files.read_file -g graph.yaml`,
		Args: program.Args(1, 1, "one tool, as NAME.TOOL"), ValidArgsFunction: completeTools,
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd.Context(), std, args[0])
		},
	}
	cmd.Flags().BoolVar(&flags.live, "live", false, "ask the server, whatever is known of it")
	flags.registerServers(cmd)
	program.FormatFlag(cmd, &flags.format)
	return cmd
}

func (f *infoFlags) run(ctx context.Context, std program.Streams, word string) error {
	s, name, err := f.tool(ctx, word)
	if err != nil {
		return err
	}
	of := toolsFlags{serverFlags: f.serverFlags, live: f.live}
	lists, errs := of.list(ctx, std, []*found{s}, name)
	if errs[0] != nil {
		return errs[0]
	}
	l := lists[0]
	t, err := l.tool(name)
	if err != nil {
		return err
	}
	if f.format == "json" {
		l.Tools = nil
		return program.WriteEscaped(std.Out, struct {
			*listed
			Tools any         `json:"tools,omitempty"` // hides those of listed
			Tool  *listedTool `json:"tool"`
		}{listed: l, Tool: t}, "  ")
	}
	return printTool(std.Out, l, t)
}

// describedMost bounds a description on the terminal, in characters.
const describedMost = 4000

// printTool prints a definition for people.
func printTool(w io.Writer, l *listed, t *listedTool) error {
	head := l.Server + "." + t.Name
	if t.Title != "" {
		head += "  " + shortened(t.Title, summaryShown)
	}
	program.PrintLine(w, "%s  (%s)", wording.OneLine(head), l.from(t.Source))
	if text := strings.TrimSpace(t.Description); text != "" {
		program.PrintLine(w, "\n%s", wording.Truncate(text, describedMost))
	}
	fmt.Fprintln(w, "\nArguments:")
	if err := printFields(w, t.InputSchema); err != nil {
		return err
	}
	if hints := hintsText(lock.HintsOf(t.Annotations)); hints != "" {
		program.PrintLine(w, "\nAnnotations (from the server, not verified): %s", hints)
	}
	if t.TaskRequired() {
		fmt.Fprintln(w, "\nThe tool can only be called as a task (execution.taskSupport: required), and calls of it are.")
	}
	if t.OutputSchema == nil {
		fmt.Fprintln(w, "\nResult: not described by the server")
		return nil
	}
	if t.Learned > 0 {
		program.PrintLine(w, "\nResult (not described by the server; learned from %s):", wording.Count(t.Learned, "result"))
	} else {
		fmt.Fprintln(w, "\nResult:")
	}
	return printFields(w, t.OutputSchema)
}

// printFields prints the properties of an object by its schema.
func printFields(w io.Writer, schema []byte) error {
	of := shape.OfSchema(schema)
	document, err := value.Decode(schema)
	if err != nil {
		document = nil
	}
	fields := of.Fields()
	if len(fields) == 0 {
		program.PrintLine(w, "  %s", fallback(len(schema) == 0, "none declared", of.String()))
		return nil
	}
	rows := [][]string{{"  name", "type", "required", "description"}}
	for _, field := range fields {
		required := "yes"
		if field.Optional {
			required = ""
		}
		own := memberOf(memberOf(document, "properties"), field.Name)
		about, _ := memberOf(own, "description").(string)
		if preset := memberOf(own, "default"); preset != nil {
			required = "default " + valueText(preset, outputShown/2, nil)
		}
		if words := field.Shape.Words(); len(words) > 4 { // the type names four
			about = strings.TrimSpace("one of " + strings.Join(words, ", ") + ". " + about)
		}
		rows = append(rows, []string{"  " + field.Name, field.Shape.String(), required, shortened(about, 2*summaryShown)})
	}
	return program.WriteTable(w, rows)
}

func fallback(use bool, text, otherwise string) string {
	if use {
		return text
	}
	return otherwise
}

// memberOf returns a member of an object; nil when v has no such member.
func memberOf(v value.Value, name string) value.Value {
	if o, ok := v.(value.Object); ok {
		v, _ = o.Get(name)
		return v
	}
	return nil
}

// hintsText lists the annotations that a tool has.
func hintsText(h lock.Hints) string {
	var texts []string
	for _, hint := range []struct {
		name  string
		value *bool
	}{{"read-only", h.ReadOnly}, {"destructive", h.Destructive}, {"idempotent", h.Idempotent}, {"open world", h.OpenWorld}} {
		if hint.value != nil {
			texts = append(texts, fmt.Sprintf("%s: %s", hint.name, fallback(*hint.value, "yes", "no")))
		}
	}
	return strings.Join(texts, ", ")
}

// schemaData returns a JSON Schema as the data of a file, for what reads inputSchema; nil when it
// is not JSON.
func schemaData(schema []byte) *config.Data {
	v, err := value.Decode(schema)
	if err != nil {
		return nil
	}
	return authoring.DataOf(v)
}
