package authoring

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"toolgraph/expressions/value"
	"toolgraph/internal/files"
	"toolgraph/internal/server"
	"toolgraph/mcpclient"
)

// permission is what an operation needs that not every toolkit has.
type permission int

const (
	toRead  permission = iota // always granted
	toWrite                   // Options.AllowWrite
	toRun                     // Options.AllowRun
)

// operation is one tool of ours. What do returns is told as JSON.
type operation struct {
	needs permission
	do    func(ctx context.Context, k *Toolkit, v *view, a arguments) (any, error)
}

// operations are the tools by name.
var operations = map[string]operation{
	"getGraphServer":     {toRead, getGraphServer},
	"listGraphTools":     {toRead, listGraphTools},
	"getGraphTool":       {toRead, getGraphTool},
	"listMcpServers":     {toRead, listMcpServers},
	"listMcpServerTools": {toRead, listMcpServerTools},
	"getMcpServerTool":   {toRead, getMcpServerTool},
	"addGraphTool":       {toWrite, addGraphTool},
	"updateGraphTool":    {toWrite, updateGraphTool},
	"deleteGraphTool":    {toWrite, deleteGraphTool},
	"runGraphTool":       {toRun, runGraphTool},
	"testMcpTool":        {toRun, testMcpTool},
	"testJSONata":        {toRead, testJSONata},
	"testJSONLogic":      {toRead, testJSONLogic},
	"checkGraphTool":     {toRead, checkGraphTool},
	"explainGraphTool":   {toRead, explainGraphTool},
	"testGraphTool":      {toRead, testGraphTool},
	"listRuns":           {toRead, listRuns},
	"readRun":            {toRead, readRun},
}

// refusal is why an operation may not be done, nil when it may.
func (k *Toolkit) refusal(name string, needs permission) error {
	switch {
	case needs == toWrite && !k.opts.AllowWrite:
		return fmt.Errorf("%s changes the graph file, and this toolkit was started without --allow-write; ask the user to add --allow-write to its arguments, or to make the change by hand", name)
	case needs == toRun && !k.opts.AllowRun:
		return fmt.Errorf("%s calls servers, and this toolkit was started without --allow-run; ask the user to add --allow-run to its arguments; testJSONata, testJSONLogic, checkGraphTool and testGraphTool work without it", name)
	}
	return nil
}

// lockGraph keeps other processes from changing a file in the directory of the graph file
// until release is called: between reading the file and replacing it, the change of another
// would be lost. The lock is on the directory, since replacing the file would remove a lock
// on the file itself. Where directories cannot be locked, it does nothing.
func lockGraph(ctx context.Context, path string) (release func(), err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	release, err = files.LockDir(ctx, filepath.Dir(path))
	if errors.Is(err, files.ErrNoLocks) {
		return func() {}, nil
	}
	return release, err
}

// answer makes a tool's Run of an operation: on the files as they are now, and without
// the secrets that are in them.
func (k *Toolkit) answer(name string, op operation) server.Run {
	return func(ctx context.Context, args value.Value, watch server.Watch) (value.Value, error) {
		if watch.Progress != nil {
			ctx = mcpclient.WithProgress(ctx, watch.Progress)
		}
		if err := k.refusal(name, op.needs); err != nil {
			return nil, err
		}
		if op.needs == toWrite {
			select {
			case k.writing <- struct{}{}:
				defer func() { <-k.writing }()
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
			release, err := lockGraph(ctx, k.opts.Graph)
			if err != nil {
				return nil, fmt.Errorf("nothing was saved: %w", err)
			}
			defer release()
		}
		v, err := k.look()
		if err != nil {
			return nil, err
		}
		said, err := op.do(ctx, k, v, arguments{args})
		if err != nil {
			return nil, errors.New(v.secrets.Redact(err.Error()))
		}
		raw, err := encode(said)
		if err != nil {
			return nil, err
		}
		return value.Decode(v.secrets.RedactJSON(raw))
	}
}

// encode is a value as JSON, in which <, > and & stay as they are.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return out.Bytes(), err
}

// list is how operations give several things.
type list[T any] struct {
	Items []T `json:"items"`
}

func listOf[T any](items []T) list[T] {
	if items == nil {
		items = []T{}
	}
	return list[T]{items}
}

// jsonValue is a Value inside the result of an operation.
type jsonValue struct{ value.Value }

// MarshalJSON is the value's own JSON.
func (v jsonValue) MarshalJSON() ([]byte, error) { return value.Encode(v.Value) }
