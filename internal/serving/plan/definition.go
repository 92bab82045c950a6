package plan

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"toolgraph/config"
)

//go:embed definition.json
var schemas []byte

// manual is the description of run_plan: how a client learns to write plans. Its arguments are the kinds of a step, the
// other keys, and the examples.
const manual = `Runs steps in one request: calls of tools, with JSONata between them. All steps are checked against the schemas of the tools before the first call. The result is the value of return alone, else that of the last step. %[4]s finds tools.
A step has an id and one of:
%[1]sMore keys:
%[2]sExpressions read steps above by id: found.files[0].name. After a dot and in [ ] a name is a field of the value there: write $$.found. ` +
	`An argument without a value is left out. The value of each is always a list, also of one; missing values in it are null. With until, the match is the last: texts[-1]. ` +
	`Steps that only read run at once as soon as what they read is there; a step that may change something runs alone, in its place. The user may be asked before it. ` +
	`A failure ends the plan, unless onError takes it: "skip" leaves the value out, {"value": …} replaces it; $failure.message says why. To fail on purpose: $error('why').
Examples:
%[3]s`

// examples are plans, each with a lesson.
var examples = []string{
	`[{"id": "found", "call": "SERVER.list", "args": {"path": "src"}}, {"id": "texts", "each": "found.files", "as": "file", "call": "SERVER.read", "args": {"path": {"expr": "$file.path"}}, "onError": "skip"}], return: texts.{'first': $split($, '\n')[0]}`,
	`[{"id": "pages", "repeat": {"until": "$not($exists($result.next))", "collect": true, "times": 50}, "call": "SERVER.page", "args": {"cursor": {"expr": "$previous.next"}}}], return: pages.items`,
	`[{"id": "users", "each": "[1, 2]", "as": "n", "key": "$string($n)", "steps": [{"id": "user", "call": "SERVER.user", "args": {"id": {"expr": "$n"}}}, {"id": "save", "if": "user.active", "call": "SERVER.save", "args": {"name": {"expr": "user.name"}}}], "return": "user.name"}]`,
}

// shortDocs are what the manual says of keys, where it is not what the documentation says.
var shortDocs = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"call":      `"SERVER.TOOL" or a tool of this server, with args: {NAME: value}; {"expr": "JSONata"} at any depth of args is computed`,
		"expr":      "JSONata of a value",
		"steps":     "a block of steps, with return",
		"as":        "name of the variable, in place of $item; $index is its place from 0",
		"key":       "JSONata of a text for each item: the value is an object",
		"if":        "JSONata; false, empty or nothing: the step is left out",
		"each":      "JSONata of a list: once for each $item",
		"until":     "of each: JSONata over $result; the first item for which it holds is the last",
		"after":     "[ids] that end first, though nothing of them is read",
		"repeat":    `{"until": JSONata over $result and $n, "times", "delayMs", "collect": true for all results}; args see $previous`,
		"onError":   "",
		"timeoutMs": "",
		"retry":     "",
		"help":      "",
		"args":      "",
		"id":        "",
		"return":    "",

		"maxParallel": "of each; 8, or 1 where something may change",
	}
})

// newManual writes the manual from the keys that steps of plans have.
func newManual() string {
	texts := config.PlanTexts()
	var kinds, more strings.Builder
	var seen []string
	for _, kind := range []string{"call", "expr", "steps"} {
		fmt.Fprintf(&kinds, "- %s: %s\n", kind, shortDocs()[kind])
		seen = append(seen, kind)
	}
	for _, kind := range []string{"call", "expr", "steps"} {
		for _, key := range texts[kind] {
			text, known := shortDocs()[key.Name]
			if !known {
				text = key.Doc
			}
			if text != "" && !slices.Contains(seen, key.Name) {
				fmt.Fprintf(&more, "- %s: %s\n", key.Name, text)
			}
			seen = append(seen, key.Name)
		}
	}
	return fmt.Sprintf(manual, kinds.String(), more.String(), strings.Join(examples, "\n"), config.SearchTools)
}

// definition returns run_plan as clients see it, without nodes.
func (t *Tool) definition(pos config.Pos) (*config.Tool, error) {
	data, err := config.ParseData("plan", schemas)
	if err != nil {
		return nil, fmt.Errorf("the schemas of plans are invalid: %w", err)
	}
	return &config.Tool{
		Pos: pos, Name: config.Text{Value: config.RunPlan}, Title: config.Text{Value: "Run a plan"}, Result: config.JSONResult,
		Description: config.Text{Value: newManual()}, InputSchema: data.Get(config.RunPlan),
	}, nil
}

// searchDefinition returns search_tools as clients see it.
func searchDefinition(pos config.Pos) (*config.Tool, error) {
	data, err := config.ParseData("plan", schemas)
	if err != nil {
		return nil, fmt.Errorf("the schemas of plans are invalid: %w", err)
	}
	return &config.Tool{
		Pos: pos, Name: config.Text{Value: config.SearchTools}, Title: config.Text{Value: "Search tools"}, Result: config.JSONResult,
		Description: config.Text{Value: "Finds tools that steps of " + config.RunPlan + " can call. query: a few words; the answer has a signature for each. names: the whole schemas of some. Neither: the servers."},
		InputSchema: data.Get(config.SearchTools), Annotations: data.Get("readOnly"),
	}, nil
}
