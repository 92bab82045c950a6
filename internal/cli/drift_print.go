package cli

import (
	"fmt"
	"io"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/authoring/drift"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

// print prints a report. The error is that there is drift, or that a server could not be asked.
func (f *driftFlags) print(std program.Streams, r *drift.Report) error {
	var err error
	switch f.format {
	case "json":
		err = program.WriteEscaped(std.Out, driftJSON(r), "  ")
	case "github":
		if err = writeGitHub(std.Out, driftFindings(r)); err == nil {
			_, err = io.WriteString(std.Out, driftSummary(r)+"\n")
		}
	default:
		var b strings.Builder
		f.printText(&b, r)
		_, err = io.WriteString(std.Out, wording.Printable(b.String()))
	}
	switch {
	case err != nil:
		return err
	case len(r.Drift) > 0 || len(r.Unreachable) > 0:
		return program.ErrReported
	case len(r.Compared) == 0:
		fmt.Fprintln(std.Err, "toolgraph: no recorded run could be compared; run the tools again, or record tests with: toolgraph test --record")
		return program.ErrReported
	}
	return nil
}

// driftJSON returns a report whose lists are never null.
func driftJSON(r *drift.Report) *drift.Report {
	out := *r
	if out.Drift == nil {
		out.Drift = []drift.Finding{}
	}
	if out.Notes == nil {
		out.Notes = []drift.Finding{}
	}
	if out.Compared == nil {
		out.Compared = []drift.Compared{}
	}
	return &out
}

func (f *driftFlags) printText(w io.Writer, r *drift.Report) {
	for _, d := range r.Drift {
		printDrift(w, d)
	}
	for _, u := range r.Unreachable {
		fmt.Fprintf(w, "server %q cannot be reached: %s\n", u.Server, wording.OneLine(u.Why))
	}
	for _, s := range r.Skipped {
		of := ""
		if s.Episode != "" {
			of = ", " + s.Episode
		}
		fmt.Fprintf(w, "not compared: %s%s: %s\n", wording.OneLine(s.Tool), wording.OneLine(of), wording.OneLine(s.Why))
	}
	if f.verbose {
		for _, n := range r.Notes {
			fmt.Fprintf(w, "does not matter: %s: %s\n", wording.OneLine(n.Tool), changeLine(n))
		}
	}
	for _, n := range r.NotCalled {
		if f.verbose || !strings.HasPrefix(n.Why, "it may change") {
			fmt.Fprintf(w, "not called: %s: %s; its definition was compared\n", wording.OneLine(n.Tool), wording.OneLine(n.Why))
		}
	}
	fmt.Fprintln(w, driftSummary(r))
}

func printDrift(w io.Writer, d drift.Finding) {
	fmt.Fprintf(w, "%s: tool %q, step %s, %s\n", d.Pos, wording.OneLine(d.Tool), d.Step, changeLine(d))
	fmt.Fprintf(w, "  %s\n", wording.OneLine(d.Effect))
	fmt.Fprintf(w, "  in %s\n", wording.OneLine(strings.Join(shortList(d.Episodes), ", ")))
	for _, line := range shortList(d.Lock) {
		fmt.Fprintf(w, "  lock: %s\n", wording.OneLine(line))
	}
}

// changeLine is a change in one line, without its place.
func changeLine(d drift.Finding) string {
	field := d.Field
	if field == "" {
		field = "the answer"
	}
	line := fmt.Sprintf("node %q: %s: %s %s", d.Node, d.Calls, field, d.What)
	switch {
	case d.Was != "" && d.Is != "":
		line += ": " + d.Was + " → " + d.Is
	case d.Was != "":
		line += ": was " + d.Was
	case d.Is != "":
		line += ": " + d.Is
	}
	return wording.OneLine(line)
}

// shortList returns the first items, and how many more there are.
func shortList(items []string) []string {
	if len(items) <= changesShown {
		return items
	}
	return append(items[:changesShown:changesShown], fmt.Sprintf("and %d more", len(items)-changesShown))
}

func driftSummary(r *drift.Report) string {
	episodes := 0
	for _, c := range r.Compared {
		episodes += c.Episodes
	}
	found := "no drift"
	if len(r.Drift) > 0 {
		found = wording.Count(len(r.Drift), "change") + " would give something else"
	}
	return fmt.Sprintf("%s: %s; %s of %s, %s made", r.File, found, wording.Count(episodes, "recorded run"), wording.Count(len(r.Compared), "tool"), wording.Count(r.Calls, "call"))
}

// driftFindings returns drift as findings at the nodes of the graph file, and servers that cannot be reached.
// They have no code.
func driftFindings(r *drift.Report) (found config.Diagnostics) {
	for _, d := range r.Drift {
		message := fmt.Sprintf("tool %q, step %s, %s; %s", d.Tool, d.Step, changeLine(d), d.Effect)
		for _, line := range shortList(d.Lock) {
			message += "\nlock: " + line
		}
		found.Add(d.Pos, "", wording.Printable(message), "")
	}
	for _, u := range r.Unreachable {
		found.Add(config.Pos{File: r.File}, "", fmt.Sprintf("server %q cannot be reached: %s", u.Server, wording.OneLine(u.Why)), "")
	}
	return found
}
