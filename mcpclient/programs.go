package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// WithPrograms lets calls start the programs of servers of type exec. Without it such calls
// fail.
func WithPrograms() Option { return func(o *options) { o.programs = true } }

// programs is the connection to a server of type exec. There is no process behind it until a
// call starts one: it answers requests itself, as a server would, so that programs are listed,
// checked and called as any tools are.
type programs struct {
	lifetime
	u      *upstream
	note   notes
	listed json.RawMessage // the result of tools/list
}

var _ link = (*programs)(nil)

func newPrograms(u *upstream, note notes) *programs {
	p := &programs{u: u, note: note, listed: listPrograms(u.conf.Programs)}
	p.begin()
	return p
}

// Programs returns the tools of a server of type exec as a Pool lists them, without a pool.
func Programs(u *config.Upstream) []Tool {
	tools, _, _ := readPage(listPrograms(u.Programs)) // which is a page
	return tools
}

// listPrograms returns the result of tools/list.
func listPrograms(all []*config.Program) json.RawMessage {
	text := map[string]any{"type": "string"}
	schema := map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{
		"stdin": map[string]any{"description": "The standard input: a text as it is, any other value as JSON."},
		"args":  map[string]any{"type": "array", "items": text, "description": "Arguments after those of the command."},
	}}
	tools := make([]map[string]any, len(all))
	for i, p := range all {
		tools[i] = map[string]any{"name": p.Name.Value, "inputSchema": schema}
		if p.Effect != "" {
			tools[i]["annotations"] = map[string]any{
				"readOnlyHint": p.Effect == config.ReadEffect, "destructiveHint": p.Effect == config.DestroyEffect,
			}
		}
	}
	raw, _ := json.Marshal(map[string]any{"tools": tools}) // which cannot fail
	return raw
}

// Start does nothing: there is nothing to connect to.
func (p *programs) Start(context.Context) error { return nil }

// SendNotification does nothing: programs know no notifications.
func (p *programs) SendNotification(context.Context, mcp.JSONRPCNotification) error { return nil }

// SetNotificationHandler does nothing: programs send no notifications.
func (p *programs) SetNotificationHandler(func(mcp.JSONRPCNotification)) {}

// GetSessionId returns "".
func (p *programs) GetSessionId() string { return "" }

// Close ends the programs that run and returns when their process groups have ended.
func (p *programs) Close() error {
	p.fail(errClosed)
	p.tasks.Wait()
	return nil
}

// SendRequest lists the programs, or runs one. When ctx ends, so does the program, and
// SendRequest returns when its whole process group has ended, within 5 s.
func (p *programs) SendRequest(ctx context.Context, req transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	if req.Method == listMethod {
		return &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: req.ID, Result: p.listed}, nil
	}
	c, fail := p.read(req)
	if fail != nil {
		return nil, fail
	}
	var out []byte
	done := make(chan struct{})
	if !p.background(func() {
		defer close(done)
		out, fail = p.run(ctx, c)
	}) {
		return nil, p.failure()
	}
	<-done
	if fail != nil {
		return nil, fail
	}
	result := append(value.AppendString([]byte(`{"content":[{"type":"text","text":`), string(out)), "}]}"...)
	return &transport.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, ID: req.ID, Result: result}, nil
}

// programCall is a call of a program.
type programCall struct {
	program *config.Program
	stdin   []byte
	args    []config.Text // after those of the command
}

// read reads a tools/call whose arguments are checked already, by the schema of listPrograms.
func (p *programs) read(req transport.JSONRPCRequest) (programCall, *Error) {
	if !p.u.opts.programs {
		fail := refusal(CodeNotAllowed, "because this process may start no programs")
		fail.Hint = "if you trust the programs of this file, add --allow-exec to the command"
		return programCall{}, fail
	}
	var params struct {
		Name      string
		Arguments struct {
			Stdin value.JSON
			Args  []string
		}
	}
	raw, err := rawParams(req.Params)
	if err == nil {
		err = json.Unmarshal(raw, &params)
	}
	c := programCall{program: p.u.conf.Program(params.Name)}
	if err == nil && c.program == nil {
		err = errors.New("there is no program " + params.Name)
	}
	if err != nil {
		return c, refusal(CodeInvalidArguments, err.Error())
	}
	switch in := params.Arguments.Stdin.Value.(type) {
	case nil:
	case string:
		c.stdin = []byte(in)
	default:
		if c.stdin, err = value.Encode(in); err != nil {
			return c, refusal(CodeInvalidArguments, "because stdin cannot be written as JSON: "+err.Error())
		}
	}
	for i, a := range params.Arguments.Args {
		if strings.ContainsRune(a, 0) {
			return c, refusal(CodeInvalidArguments, fmt.Sprintf("because args[%d] holds a zero byte, which no argument of a program can", i))
		}
		c.args = append(c.args, config.Text{Value: a})
	}
	return c, nil
}

// errTooMuchOutput is the cause of the end of a program that has written more than the limit.
var errTooMuchOutput = errors.New("too much output")

// run runs a program, and returns its standard output when its process group has ended.
func (p *programs) run(ctx context.Context, c programCall) ([]byte, *Error) {
	as := p.u.conf.Starting(c.program)
	as.Args = slices.Concat(as.Args, c.args)
	proc, fail := p.u.startProgram(as, p.note)
	if fail != nil {
		return nil, fail
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(p.ctx, func() { stop(p.failure()) })()
	defer context.AfterFunc(ctx, func() { proc.endWithin(0, termGrace) })()
	var out bytes.Buffer
	var streams sync.WaitGroup
	streams.Go(func() {
		_, _ = proc.stdin.Write(c.stdin) // a program need not read its input
		_ = proc.stdin.Close()
	})
	streams.Go(func() {
		_, _ = out.ReadFrom(io.LimitReader(proc.stdout, int64(p.u.conf.maxMessage)+1)) // what has come is what there is
		if out.Len() > p.u.conf.maxMessage {
			stop(errTooMuchOutput)
			_ = proc.stdout.Close()
		}
	})
	<-proc.gone
	_ = proc.stdout.SetReadDeadline(time.Now().Add(drainGrace)) // a process that left the group may hold the pipe open for ever
	streams.Wait()
	_ = proc.stdout.Close()
	if ctx.Err() != nil {
		return nil, p.ended(ctx, proc)
	}
	return p.output(c, proc, out.Bytes())
}

// ended returns the error of a program that was ended.
func (p *programs) ended(ctx context.Context, proc *process) *Error {
	e := &Error{Stderr: proc.stderr.tail(0, p.note)}
	cause := context.Cause(ctx)
	switch known := (*Error)(nil); {
	case errors.Is(cause, errTooMuchOutput):
		e.Code, e.Message = CodeTooLarge, fmt.Sprintf("the program was ended, because it wrote more than %d bytes to its standard output", p.u.conf.maxMessage)
	case errors.Is(cause, errCallTimeout):
		e.Code, e.Message, e.Err = CodeTimeout, "the program did not end within its time limit, and was ended", errCallTimeout
		if w, timed := ctx.Value(watchKey{}).(*watch); timed {
			e.Message = fmt.Sprintf("the program did not end within %s, and was ended", w.limit)
		}
	case errors.As(cause, &known):
		return known
	default:
		e.Code, e.Message, e.Err = CodeCancelled, "cancelled while the program ran", cause
	}
	return e
}

// output returns what a program has written, or the error that its exit code means.
func (p *programs) output(c programCall, proc *process, out []byte) ([]byte, *Error) {
	name := p.note.shown(c.program.Command[0].Value, 200)
	if code := proc.status.code; code != 0 {
		e := &Error{Code: CodeToolError, Message: name + " " + proc.status.String(), ExitCode: &code, Stderr: proc.stderr.tail(0, p.note)}
		if len(out) > 0 && utf8.Valid(out) {
			e.Result = textValue(string(out))
		}
		return nil, e
	}
	if !utf8.Valid(out) {
		return nil, &Error{
			Code: CodeBadResult, Message: "the standard output of " + name + " is not a text in UTF-8",
			Hint: "let the program write text, or base64", Stderr: proc.stderr.tail(0, p.note),
		}
	}
	return out, nil
}
