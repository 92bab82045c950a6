package simulation

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// upstreamError is an error of an upstream server.
type upstreamError struct {
	code config.FailureCode
	text string
}

func (e *upstreamError) Error() string     { return e.text }
func (e *upstreamError) ErrorCode() string { return string(e.code) }

// FailedResult is the value of a result with isError.
func (e *upstreamError) FailedResult() value.Value {
	if e.code != config.FailToolError {
		return nil
	}
	return e.text
}

// StructuredContent is that of a result with isError.
func (e *upstreamError) StructuredContent() json.RawMessage {
	if e.code != config.FailToolError {
		return nil
	}
	return json.RawMessage(`{"why":"trouble"}`)
}

// errorCodes are the codes of upstream errors.
var errorCodes = []config.FailureCode{
	config.FailTimeout, config.FailToolError, config.FailRPCError, config.FailTransport, config.FailServerStart,
	config.FailServerExited, config.FailTooLarge, config.FailBadResult, config.FailInvalidArguments,
}

// The tools of the upstream server. A tool whose name ends in _safe is safe to repeat.
const (
	sure  = "sure"  // always answers
	once  = "once"  // may fail the first attempt
	flaky = "flaky" // may fail each attempt
	void  = "void"  // may answer nothing
	job   = "job"   // is done when its attempt is; its answer has the attempt
)

var toolKinds = []string{sure, sure, once, flaky, void}

// answerOf is a function of the tool, the arguments and the attempt. trouble is how many of 100
// calls fail of a tool that may.
func answerOf(trouble int, tool string, args value.Value, attempt int) (value.Value, error) {
	kind, _ := cutSafe(tool)
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %s %d", kind, text(args), attempt)
	sum := h.Sum64()
	fails := int(sum>>8%100) < trouble
	switch kind {
	case once:
		fails = fails && attempt == 1
	case flaky:
	default:
		fails = false
	}
	if fails {
		code := errorCodes[sum>>20%uint64(len(errorCodes))]
		return nil, &upstreamError{code: code, text: fmt.Sprintf("trouble %d of %s", sum%1000, tool)}
	}
	if kind == void && sum%2 == 0 {
		return nil, nil
	}
	items := ""
	for i := range sum >> 30 % 4 {
		if i > 0 {
			items += ","
		}
		items += fmt.Sprint(sum >> (3 * i) % 50)
	}
	v, err := value.Decode(fmt.Appendf(nil, `{"v":%d,"n":%d,"l":[%s]}`, sum%100, attempt, items))
	if err != nil {
		panic(err)
	}
	return v, nil
}

// cutSafe returns the kind of a tool, and whether it is safe to repeat.
func cutSafe(tool string) (kind string, safe bool) {
	kind, safe = strings.CutSuffix(tool, "_safe")
	return kind, safe
}
