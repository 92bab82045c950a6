package flows

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// The tools of the server and the codes with which they fail.
var (
	upstreamTools = []string{"echo", "echo", "pick", "list", "list", "flaky", "flaky", "fail", "job", "late", "hang"}
	stepTools     = append(slices.Repeat([]string{"echo", "pick", "list", "list", "set", "set"}, 3), "flaky", "flaky", "setflaky", "setflaky", "fail", "job", "late", "hang")
	upstreamCodes = []string{"tool-error", "tool-error", "rpc-error", "timeout", "transport", "server-exited", "server-start", "too-large", "bad-result", "unknown-tool"}
)

// onlyReads reports whether a tool changes nothing, as the server says.
func onlyReads(tool string) bool { return !strings.HasPrefix(tool, "set") }

// answer is the server: the same answer to the same call, each time.
func answer(tool string, args value.Value, attempt int) (value.Value, *failure) {
	h := fnv.New64a()
	text, err := value.Encode(args)
	if err != nil {
		panic(err)
	}
	h.Write(text)
	luck := rand.New(rand.NewPCG(h.Sum64(), uint64(len(tool))))
	number := func(n int) value.Value { return float64(luck.IntN(n)) }
	object := func(key string, v value.Value) value.Value {
		return value.NewObject([]string{key, "n"}, []value.Value{v, float64(attempt)})
	}
	fail := func() (value.Value, *failure) {
		failed := &failure{code: config.FailureCode(upstreamCodes[luck.IntN(len(upstreamCodes))])}
		if failed.code == config.FailToolError {
			failed.result = object("status", "failed")
		}
		return nil, failed
	}
	switch tool {
	case "echo", "set":
		return args, nil
	case "pick":
		if o, ok := args.(value.Object); ok {
			v, _ := o.Get("v")
			return v, nil
		}
		return nil, nil
	case "list":
		list := make([]any, luck.IntN(4))
		for i := range list {
			list[i] = object("s", number(9))
		}
		return object("list", list), nil
	case "flaky", "setflaky":
		if attempt <= luck.IntN(4) {
			return fail()
		}
		return object("v", number(5)), nil
	case "job":
		status := "busy"
		if attempt > luck.IntN(4) {
			status = "done"
		}
		return object("status", status), nil
	case "late":
		return nil, &failure{code: config.FailTimeout}
	case "hang":
		return nil, &failure{code: failHang}
	}
	if luck.IntN(3) == 0 {
		return number(5), nil
	}
	return fail()
}

// callError is a failed call, as the pool of servers reports it.
type callError struct{ *failure }

func (e callError) Error() string             { return "the call failed" }
func (e callError) ErrorCode() string         { return string(e.code) }
func (e callError) FailedResult() value.Value { return e.result }

// sent is a call that the engine has made.
type sent struct {
	at           execution.Address
	args         string
	begun, ended int // among all beginnings and ends; 0: it has not ended
}

// user answers questions: a function of the question.
type user struct{}

func (user) Ask(_ context.Context, q execution.Question) (execution.Answer, error) {
	content, code := answerOfUser(q.Message, q.Form != nil)
	switch code {
	case config.FailDeclined:
		return execution.Answer{Action: execution.Decline}, nil
	case config.FailDismissed:
		return execution.Answer{Action: execution.Dismiss}, nil
	}
	return execution.Answer{Action: execution.Accept, Content: content}, nil
}

// answerOfUser is what the user fills in, or the code of the failure of one who does not agree.
func answerOfUser(message string, form bool) (content value.Value, code config.FailureCode) {
	h := fnv.New64a()
	h.Write([]byte(message))
	sum := h.Sum64()
	switch {
	case sum%5 == 0:
		return nil, config.FailDeclined
	case sum%7 == 0:
		return nil, config.FailDismissed
	case form:
		return value.NewObject([]string{"v"}, []value.Value{float64(sum >> 8 % 9)}), ""
	}
	return nil, ""
}

// caller is the server for the engine: each answer takes a while, by chance.
func caller(seed uint64, made *[]*sent) execution.ToolCaller {
	luck, moment := make(chan *rand.Rand, 1), 0
	luck <- rand.New(rand.NewPCG(seed, 0))
	return execution.CallerFunc(func(ctx context.Context, c execution.Call) (value.Value, error) {
		chance := <-luck
		moment++
		own := &sent{at: c.At(), args: textOf(c.Args), begun: moment}
		*made = append(*made, own)
		takes := time.Duration(1+chance.IntN(40)) * time.Millisecond
		luck <- chance
		defer func() {
			chance := <-luck
			moment++
			own.ended = moment
			luck <- chance
		}()
		v, failed := answer(c.Tool, plain(c.Args), max(1, c.Attempt))
		if c.Tool == "late" || c.Tool == "hang" {
			takes = 100 * time.Millisecond
			if c.Tool == "hang" {
				takes = 1000 * time.Hour
			}
			if c.Timeout > 0 {
				takes, failed = c.Timeout, &failure{code: config.FailTimeout}
			}
		}
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if failed != nil {
			return nil, callError{failed}
		}
		return v, nil
	})
}

// anyMessage stands for every message of a failure, since only codes are compared.
const anyMessage = "M"

// plain is a value with the same message in each failure inside it.
func plain(v value.Value) value.Value {
	switch x := v.(type) {
	case []any:
		list := make([]any, len(x))
		for i, item := range x {
			list[i] = plain(item)
		}
		return list
	case value.Object:
		m := value.NewMap()
		_, isFailure := x.Get("code")
		for _, key := range x.Keys() {
			item, _ := x.Get(key)
			if key == "message" && isFailure {
				item = anyMessage
			}
			m.Set(key, plain(item))
		}
		return m
	}
	return v
}

// textOf is a value in one line; nothing is no JSON.
func textOf(v value.Value) string {
	if v == nil {
		return "nothing"
	}
	text, err := value.Encode(plain(v))
	if err != nil {
		return err.Error()
	}
	return string(text)
}
