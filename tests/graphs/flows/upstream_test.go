package flows

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// The tools of the server and the codes with which they fail.
var (
	upstreamTools = []string{"echo", "echo", "pick", "list", "list", "flaky", "flaky", "fail", "job", "late", "hang"}
	upstreamCodes = []string{"tool-error", "tool-error", "rpc-error", "timeout", "transport", "server-exited", "server-start", "too-large", "bad-result", "unknown-tool"}
)

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
	case "echo":
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
	case "flaky":
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

// caller is the server for the engine: each answer takes a while, by chance.
func caller(seed uint64, made *int) execution.ToolCaller {
	luck := make(chan *rand.Rand, 1)
	luck <- rand.New(rand.NewPCG(seed, 0))
	return execution.CallerFunc(func(ctx context.Context, c execution.Call) (value.Value, error) {
		chance := <-luck
		*made++
		takes := time.Duration(1+chance.IntN(40)) * time.Millisecond
		luck <- chance
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
