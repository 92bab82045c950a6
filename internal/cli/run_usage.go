package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/graph"
	"toolgraph/internal/base/terminal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
	"toolgraph/internal/runtime"
	"toolgraph/internal/runtime/results"
)

// printUsage prints what a run has used, and what of it a client's model would not have read: as JSON, or as a sentence at a
// terminal and where the graph limits its results.
func printUsage(w io.Writer, g *graph.Graph, result *execution.Result, failed error, asJSON bool) {
	if result == nil { // no run
		return
	}
	used := runtime.UsageOf(result)
	out := bytesOut(g, result, failed)
	limit := g.Limits.MaxResultBytes
	switch {
	case asJSON:
		fmt.Fprintf(w, "%s\n", used.JSON(out))
	case used.Calls > 0 && (limit > 0 || terminal.On(w).Live()):
		fmt.Fprintf(w, "toolgraph: %s, %d bytes in, %d bytes out, about %d tokens saved (estimate)\n",
			wording.Count(used.Calls, "call"), used.BytesIn, out, used.Saved(out))
	}
	if result.Spilled > 0 && !asJSON {
		fmt.Fprintf(w, "toolgraph: executionLimits.maxResultBytes is %d: a client gets a summary of this result, and reads parts of it with %s\n", limit, results.ToolName)
	}
}

// explainRun prints on a terminal the command that explains a recorded run that has failed, or resumes one that was suspended.
// The place of a store in a database, which can have a password, is not repeated: then there is none.
func explainRun(w io.Writer, history *program.HistoryFlags, failed error) {
	var step *execution.StepError
	if history.Off || strings.Contains(history.State, "://") || !errors.As(failed, &step) {
		return
	}
	words := []string{"runs", "explain", step.Run}
	switch {
	case errors.Is(failed, execution.ErrSuspended):
		words = []string{"resume", step.Run}
	case step.Code() == execution.CodeCancelled: // by the user
		return
	}
	if history.State != "" {
		words = append(words, "--state", history.State)
	}
	program.PrintCommand(w, words...)
}

// printedBytes records with the end of a run how many bytes are printed of its result.
func printedBytes(g *graph.Graph) execution.Option {
	return execution.WithBytesOut(func(result *execution.Result, failed error) int {
		return bytesOut(g, result, runtime.WithRemedy(failed))
	})
}

// bytesOut returns how many bytes a model would read of the whole result, or of the failure.
func bytesOut(g *graph.Graph, result *execution.Result, failed error) int {
	if failed != nil {
		return len(g.Secrets.Redact(failed.Error()))
	}
	if text, isText := result.Value.(string); isText && g.Tool.Result == config.TextResult {
		return len(g.Secrets.Redact(text))
	}
	return result.Size()
}
