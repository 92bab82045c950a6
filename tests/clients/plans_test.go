package clients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolgraph/tests/testbin"
)

const planFile = `version: "1.0"
server: {name: jobs, version: 1.0.0}
mcpServers:
  up: {command: %q, args: [%q, %q], trusted: true}
plan: {calls: [up.channels_list, up.messages_send], confirm: [write]}
tools: []
`

// planTools are the tools of the upstream server as it lists them: one reads, one writes.
const planTools = `{
"channels_list": {"name": "channels_list", "description": "Lists channels of the community.",
 "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}, "size": {"type": "integer"}}, "required": ["n"]},
 "outputSchema": {"type": "object", "properties": {"channels": {"type": "array", "items": {"type": "object",
  "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}, "required": ["name", "size"]}}}, "required": ["channels"]},
 "annotations": {"readOnlyHint": true}},
"messages_send": {"name": "messages_send", "description": "Sends a message.",
 "inputSchema": {"type": "object", "properties": {"channel_id": {"type": "string"}}, "required": ["channel_id"]},
 "annotations": {"readOnlyHint": false, "destructiveHint": false}}
}`

// The calls of planCalls, as the upstream server counts them.
const (
	listed = `channels_list {"n":40,"size":400}`
	sent   = `messages_send {"channel_id":"item 3"}`
	first  = `messages_send {"channel_id":"1"}`
	second = `messages_send {"channel_id":"900000000000000005"}`
)

// intermediate is in every channel that channels_list answers, and in nothing else.
var intermediate = strings.Repeat("x", 100)

// object is a JSON object.
func object(text string) (o map[string]any) {
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	return o
}

// planCalls are what a client calls in one session: a search, a plan that reads, one that also writes, one whose second write
// needs the answer to the first, so that there are two questions, and one with two mistakes.
func planCalls() []call {
	return []call{
		{"search_tools", object(`{"query": "channels of the community"}`)},
		{"run_plan", object(`{"steps": [{"id": "found", "call": "up.channels_list", "args": {"n": 40, "size": 400}}],
			"return": "{\"total\": $sum(found.channels.size)}"}`)},
		{"run_plan", object(`{"steps": [{"id": "found", "call": "up.channels_list", "args": {"n": 40, "size": 400}},
			{"id": "sent", "call": "up.messages_send", "args": {"channel_id": {"expr": "found.channels[3].name"}}}], "return": "sent.message_id"}`)},
		{"run_plan", object(`{"steps": [{"id": "first", "call": "up.messages_send", "args": {"channel_id": "1"}},
			{"id": "second", "call": "up.messages_send", "args": {"channel_id": {"expr": "first.message_id"}}}], "return": "second.channel_id"}`)},
		{"run_plan", object(`{"steps": [{"id": "found", "call": "up.channels_lst", "args": {"n": 40}},
			{"id": "sent", "call": "up.messages_send", "args": {"channel_id": 5}}]}`)},
	}
}

// outcome is what a client shows of a plan, and what happens.
type outcome struct {
	isError bool
	text    []string // parts of what the client shows
	asked   []string // a part of each question
	made    []string // the calls that the upstream server counts
}

// The outcomes of the two plans that write, by what the client answers; "" for one that cannot be asked.
var outcomes = map[string][2]outcome{
	"accept": {
		{false, []string{"900000000000000005"}, []string{"step sent: up.messages_send (effect: write) {\"channel_id\":\"item 3\"}\n   channel_id is computed from step found (up)"}, []string{listed, sent}},
		{false, []string{"900000000000000005"}, []string{
			`step first: up.messages_send (effect: write) {"channel_id":"1"}`, `step second: up.messages_send (effect: write) {"channel_id":"900000000000000005"}`,
		}, []string{first, second}},
	},
	"decline": {
		{true, []string{`steps[1]: step "sent" of tool "run_plan": the user declined`, "nothing was changed before"}, []string{"step sent:"}, []string{listed}},
		{true, []string{`steps[0]: step "first" of tool "run_plan": the user declined`, "nothing was changed before"}, []string{"step first:"}, nil},
	},
	"": {
		{true, []string{
			`the plan was not run, and nothing was called: step "sent" calls up.messages_send, which has the effect write`,
			"the host cannot ask its user (it has not declared elicitation)", "plan: {confirm: […]}",
		}, nil, nil},
		{true, []string{`the plan was not run, and nothing was called: step "first" calls up.messages_send`}, nil, nil},
	},
}

// planning is a file with plans, and the diary of its upstream server.
type planning struct{ binary, graph, diary string }

func newPlanning(t *testing.T) planning {
	t.Helper()
	dir := t.TempDir()
	p := planning{testbin.Build(t, "toolgraph"), filepath.Join(dir, "graph.yaml"), filepath.Join(dir, "diary")}
	tools := filepath.Join(dir, "tools.json")
	if err := os.WriteFile(tools, []byte(planTools), 0o600); err != nil {
		t.Fatal(err)
	}
	source := fmt.Sprintf(planFile, testbin.Build(t, "toolgraph/tests/fakeserver"), "diary="+p.diary, "rugpull="+tools)
	if err := os.WriteFile(p.graph, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// made are the calls that the upstream server has got, in their order.
func (p planning) made(t *testing.T) (calls []string) {
	t.Helper()
	text, err := os.ReadFile(p.diary)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if made, is := strings.CutPrefix(strings.TrimSpace(line), "called "); is {
			calls = append(calls, made)
		}
	}
	return calls
}

// check compares what a client shows of planCalls, the questions, and the calls that were made, with the outcomes of the plans that write.
func (p planning) check(t *testing.T, writes [2]outcome, results []shown, questions []string) {
	t.Helper()
	var asked, made []string
	for i, want := range []outcome{
		{text: []string{"up.channels_list(n: integer, size?: integer) → {channels: [{name: string, size: integer}]}  reads  “Lists channels of the community.”"}},
		{text: []string{`{"total":7800}`}, made: []string{listed}},
		writes[0], writes[1],
		{isError: true, text: []string{
			"the plan was not run, and nothing was called:",
			`steps[0].call: step "found" calls "up.channels_lst", which is no tool that plans may call; did you mean "up.channels_list"? [unknown-tool]`,
			`steps[1].args.channel_id: argument "channel_id" of tool "messages_send": expected a string, found 5 [argument-refused]`,
		}},
	} {
		asked, made = append(asked, want.asked...), append(made, want.made...)
		if i >= len(results) {
			t.Fatalf("the client shows %d results: %v", len(results), results)
		}
		for _, part := range want.text {
			if r := results[i]; r.isError != want.isError || !strings.Contains(r.text, part) {
				t.Errorf("call %d: the client shows %+v, want %q", i, r, part)
			}
		}
	}
	if !slices.EqualFunc(questions, asked, strings.Contains) {
		t.Errorf("the client was asked %q, want %q", questions, asked)
	}
	if got := p.made(t); !slices.Equal(got, made) {
		t.Errorf("the calls are %q, want %q", got, made)
	}
}

// shown is what a client shows of a result.
type shown struct {
	text    string
	isError bool
}

// show is a result as check wants it. What the client throws is an error, too.
func (r result) show() shown {
	text := r.text()
	if compact := new(bytes.Buffer); json.Compact(compact, []byte(text)) == nil {
		text = compact.String()
	}
	return shown{text, r.IsError || r.Thrown != ""}
}

// Both versions of the SDK list the tools of plans, search, run plans, are asked, and show mistakes.
func TestPlansThroughTheTypeScriptSDK(t *testing.T) {
	for _, sdk := range []struct {
		version            int
		packages, protocol string
	}{{1, sdkPackage, ""}, {2, newerSDKPackage, "2026-07-28"}} {
		for answer, want := range outcomes {
			t.Run(sdk.packages+"/"+cmp.Or(answer, "cannot be asked"), func(t *testing.T) {
				modules := modules(t, sdk.packages)
				p := newPlanning(t)
				got := bySDK(t, modules, os.Environ(), job{
					Command: []string{p.binary, "-g", p.graph, "--no-history"}, Directory: t.TempDir(),
					Calls: planCalls(), SDK: sdk.version, Answer: answer,
				})
				if slices.Sort(got.Tools); !slices.Equal(got.Tools, []string{"run_plan", "search_tools"}) || got.Protocol != sdk.protocol {
					t.Errorf("over %q the client sees the tools %q", got.Protocol, got.Tools)
				}
				results := make([]shown, len(got.Results))
				for i, r := range got.Results {
					results[i] = r.show()
				}
				p.check(t, want, results, got.Questions)
				received := strings.Join(got.Received, "\n")
				if !strings.Contains(received, `{\"total\":7800}`) || strings.Contains(received, intermediate) {
					t.Errorf("the client has received %s", received)
				}
			})
		}
	}
}
