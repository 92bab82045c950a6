package behaviours

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// Behaviour is one row of the table: what a run does, what happens meanwhile, and what must hold afterwards.
type Behaviour struct {
	Topic string // of the table
	Name  string // of the graph file, and of the run
	Says  string // one sentence

	Nodes  string // of the tool, without its entry and exit
	Tools  string // other tools of the file
	Limits string // executionLimits, as {…}
	Top    string // other keys of the file
	Input  string // inputSchema, as {…}
	Output string // outputSchema, as {…}
	Server string // more keys of the server

	Changed string // Nodes for the processes after the first one
	Args    string // JSON; {} when empty
	NoUser  bool   // no user can be asked

	Steps []Step
	Want  Want
}

// Want is what must hold when a run is over. Empty fields are not compared, but Calls.
type Want struct {
	Result  string // JSON
	Fails   string // the code of the failure, as $failure has it
	Says    string // part of its message
	Calls   string // all calls that the server counts: "echo 3, hang 1"; "cancelled 1" for notifications/cancelled
	Keys    string // the idempotency keys of the calls, in order, without the run: "1, 1#2"
	Events  string // the events of the run, see Describe, in order, joined by ", "; "…" for any
	Refused string // part of the error of the last GoOn, which was refused
	Status  string // of the run in the store; by default that which follows from Result and Fails
	Without string // is nowhere in what is recorded
	Answers int    // of the user, or of the time for them; a question without a user counts
}

// Step is what happens while a run is in progress. Steps follow each other.
type Step struct {
	do   action
	at   string // waits for: an event, see Describe, or calls at the server: "hang 1"; or the status of the run
	how  execution.Resolution
	ans  execution.Answer
	from execution.Address
	wait time.Duration
}

type action string

const (
	doCrash  action = "crash"
	doGoOn   action = "go on"
	doCancel action = "cancel"
	doAnswer action = "answer"
	doTake   action = "take"
	doFork   action = "fork"
	doReplay action = "replay"
	doWait   action = "wait"
	doStop   action = "stop"
)

// Crash kills the process of the run by SIGKILL: right after an event is recorded, or while the server has a call.
func Crash(at string) Step { return Step{do: doCrash, at: at} }

// GoOn continues the run in another process.
func GoOn() Step { return Step{do: doGoOn} }

// Resolve continues the run with what an operator says of its in-doubt call.
func Resolve(how execution.Resolution) Step { return Step{do: doGoOn, how: how} }

// Cancel cancels the run.
func Cancel(at string) Step { return Step{do: doCancel, at: at} }

// Reply answers the question of the run with an action, and the JSON of a form.
func Reply(at string, action execution.Action, content string) Step {
	a := execution.Answer{Action: action}
	if content != "" {
		v, err := value.Decode([]byte(content))
		if err != nil {
			panic(err)
		}
		a.Content = v
	}
	return Step{do: doAnswer, at: at, ans: a}
}

// Take lets a second process try to continue the run while its process is alive.
func Take(at string) Step { return Step{do: doTake, at: at} }

// ForkAt waits for the end of the run, and continues it as another one from a step on. Result, Fails and Events are
// those of the fork.
func ForkAt(at execution.Address) Step { return Step{do: doFork, from: at} }

// Stop suspends the run, as a process that is stopped does.
func Stop(at string) Step { return Step{do: doStop, at: at} }

// Replay waits for the end of the run, and replays it from what is recorded: it must have the same end.
func Replay() Step { return Step{do: doReplay} }

// Pause waits so long after at.
func Pause(at string, d time.Duration) Step { return Step{do: doWait, at: at, wait: d} }

// crashes counts the crashes of a behaviour.
func (b *Behaviour) crashes() (n int) {
	for _, s := range b.Steps {
		if s.do == doCrash {
			n++
		}
	}
	return n
}

// Does reports whether a behaviour has such a step: "crash", "go on", "cancel", "answer", "take", "fork", "replay",
// "stop".
func (b *Behaviour) Does(what string) bool {
	for _, s := range b.Steps {
		if string(s.do) == what {
			return true
		}
	}
	return false
}

// isTimed reports whether the time that a run takes matters: it begins when the others are quiet.
func (b *Behaviour) isTimed() bool {
	return strings.Contains(b.Limits, "maxExecutionTimeMs") || strings.Contains(b.Nodes, "timeoutMs")
}

// Resolves reports whether an operator resolves an in-doubt call.
func (b *Behaviour) Resolves() bool {
	for _, s := range b.Steps {
		if s.how.Repeat || s.how.RepeatAll || s.how.Nothing || s.how.Value != nil {
			return true
		}
	}
	return false
}

var firstID = regexp.MustCompile(`id: *([A-Za-z_]\w*)`)

// file returns the graph file; url is that of the server.
func (b *Behaviour) file(url string, changed bool) string {
	nodes := b.Nodes
	if changed && b.Changed != "" {
		nodes = b.Changed
	}
	var s strings.Builder
	s.WriteString("version: \"1.0\"\nserver: {name: behaviours, version: 1.0.0}\n")
	server := b.Server
	if server != "" {
		server = ", " + server
	}
	fmt.Fprintf(&s, "mcpServers:\n  up: {type: streamableHttp, url: %q%s}\n", url+"/"+b.Name, server)
	s.WriteString("  down: {type: streamableHttp, url: \"http://127.0.0.1:1/\"}\n")
	if b.Limits != "" {
		fmt.Fprintf(&s, "executionLimits: %s\n", b.Limits)
	}
	if b.Top != "" {
		s.WriteString(strings.TrimSpace(b.Top) + "\n")
	}
	s.WriteString("tools:\n")
	tool(&s, b.Name, nodes, b.Input, b.Output, false)
	s.WriteString(expandTools(b.Tools))
	return s.String()
}

// tool writes a tool whose entry goes to the first node.
func tool(s *strings.Builder, name, nodes, input, output string, hidden bool) {
	if input == "" {
		input = "{type: object}"
	}
	fmt.Fprintf(s, "- name: %s\n  description: made\n  inputSchema: %s\n", name, input)
	if output != "" {
		fmt.Fprintf(s, "  outputSchema: %s\n", output)
	}
	if hidden {
		s.WriteString("  hidden: true\n")
	}
	fmt.Fprintf(s, "  nodes:\n  - {id: entry, type: entry, next: %s}\n", firstID.FindStringSubmatch(nodes)[1])
	for line := range strings.Lines(strings.Trim(nodes, "\n") + "\n") {
		s.WriteString("  " + line)
	}
	s.WriteString("  - {id: exit, type: exit}\n")
}

// expandTools writes hidden tools: each begins with a line "NAME:", or "NAME {inputSchema}:".
func expandTools(text string) string {
	var s strings.Builder
	var name, input string
	var nodes strings.Builder
	flush := func() {
		if name != "" {
			tool(&s, name, nodes.String(), input, "", true)
		}
		nodes.Reset()
	}
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		if !strings.HasPrefix(line, "-") && !strings.HasPrefix(line, " ") {
			flush()
			name, input, _ = strings.Cut(strings.TrimSuffix(strings.TrimSpace(line), ":"), " ")
			continue
		}
		nodes.WriteString(line)
	}
	flush()
	return s.String()
}
