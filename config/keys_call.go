package config

import (
	"maps"
	"slices"
)

// forEachForm has the keys of forEach.
var forEachForm = lazyForm(func() *form {
	return &form{
		name: "forEach", doc: "One call for each item of a list; the output is the list of their values, in the order of the items.",
		keys: []key{
			{name: "items", doc: "JSONata that yields the list; args read an item as $item and its place, from 0, as $index.", value: textValue("$.list.entries"), required: true},
			{name: "maxParallel", doc: "The largest number of calls at the same time; by default, one after the other.", value: wholeNumber(1, 256), badRange: true},
		},
	}
})

// retryForm has the keys of retry; pollForm has those of a retry with until, which repeats a call
// that takes its time and therefore has other defaults.
var (
	retryForm = lazyForm(func() *form {
		return newRetryForm("How a failed call is repeated.", 3, 10, 500, 2)
	})
	pollForm = lazyForm(func() *form {
		return newRetryForm("How a call is repeated until its value is the wanted one.", 60, 1000, 2000, 1)
	})
)

func newRetryForm(doc string, attempts, mostAttempts, delay, backoff int) *form {
	number := func(normal, least, most int) value {
		return value{"type": "integer", "minimum": least, "maximum": most, "default": normal}
	}
	return &form{name: "retry", doc: doc, keys: []key{
		{name: "attempts", doc: "The number of attempts, the first included.", value: number(attempts, 2, mostAttempts), badRange: true},
		{name: "delayMs", doc: "The wait before the second attempt, in milliseconds.", value: number(delay, 0, 3_600_000), badRange: true},
		{name: "backoff", doc: "Each wait is this many times the one before.", value: value{"type": "number", "minimum": 1, "maximum": 10, "default": backoff}, badRange: true},
		{name: "maxDelayMs", doc: "The longest wait, in milliseconds.", value: number(30_000, 0, 3_600_000), badRange: true},
		{name: "codes", doc: "The failures after which to repeat the call. By default server-start, and others only when the call is safe to repeat.", value: listOf(oneOf(failureWords()...))},
		{name: "when", doc: "JSONata that says whether to repeat the call: $failure is the failure, $attempt the number of attempts made.", value: textValue(`$contains($failure.message, "busy")`)},
		{name: "until", doc: "JSONata over $result, the value of the call. While it does not hold, the call is repeated; attempts may then be up to 1000.", value: textValue(`$result.status in ["done", "failed"]`)},
	}}
}

// onErrorForm has the keys of onError.
var onErrorForm = lazyForm(func() *form {
	return &form{
		name: "onError", doc: "How the run continues after a failure of this node; {} continues with {error: …} as the output.",
		keys: []key{
			{name: "codes", doc: "The failures that it takes; by default those that neither the author nor an operator has to mend.", value: listOf(oneOf(failureWords()...))},
			{name: "value", doc: "The output instead: literal, but {expr: …} at any depth is a JSONata expression that can read $failure; default: {error: {expr: $failure}}.", value: formValue("argument")},
			{name: "next", doc: "The id of the node to go to after a failure; default: the node's own next.", value: textValue()},
		},
	}
})

func failureWords() []any {
	words := make([]any, len(FailureCodes))
	for i, code := range FailureCodes {
		words[i] = string(code)
	}
	return words
}

// toolLimitsForm has the keys of a tool's own executionLimits: those of the file without
// defaults, since a limit that the tool does not set is the file's.
var toolLimitsForm = lazyForm(func() *form {
	own := &form{name: "executionLimits", doc: "The tool's own limits, in place of the file's.", keys: slices.Clone(limitsForm().keys)}
	for i := range own.keys {
		own.keys[i].value = own.keys[i].value.withoutDefault()
	}
	return own
})

// withoutDefault returns the schema without its default.
func (v value) withoutDefault() value {
	rest := maps.Clone(v)
	delete(rest, "default")
	return rest
}

// The keys that nodes which make calls share.
var (
	argsKey = key{name: "args", doc: "The arguments: literal, but {expr: …} at any depth is a JSONata expression.", value: value{
		"type": "object", "additionalProperties": formValue("argument"),
		"examples": []any{map[string]any{"path": map[string]any{"expr": "$.entry.directory"}}},
	}}
	forEachKey = key{name: "forEach", doc: "Makes a call for each item of a list.", value: formValue("forEach")}
	onErrorKey = key{name: "onError", doc: "How the run continues after a failure; without it, a failure ends the run.", value: formValue("onError")}
	helpKey    = key{name: "help", doc: "A hint that is added to the message of a failure.", value: textValue("Is the proxy running?")}
)

func timeoutKey(doc string, most int) key {
	return key{name: "timeoutMs", doc: doc, value: wholeNumber(0, most).withoutDefault(), badRange: true}
}

// The longest timeoutMs: of a call, and of an answer, for which some places wait while no process does.
const (
	longestCall   = 3_600_000
	longestAnswer = 14 * 24 * 3_600_000
)

// The number of branches of a parallel node.
const (
	MinBranches = 2
	MaxBranches = 32
)

// BranchTypes are the types of the nodes that can be branches. The slice must not be changed.
var BranchTypes = []NodeType{MCPNode, GraphNode}

// branchForm returns the form of a node as a branch of a parallel node. The keys that a branch
// cannot have are as those of the older language: known, for one finding each, but not current.
func branchForm(of *form) *form {
	branch := *of
	branch.keys = slices.Clone(of.keys)
	for i, k := range branch.keys {
		branch.keys[i].older = k.older || slices.Contains(notOfBranch, k.name)
	}
	return &branch
}

var notOfBranch = []string{"id", "next", "forEach"}
