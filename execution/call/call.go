package call

import (
	"encoding/json"
	"errors"
	"time"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// Call is one call of an mcp node. It is plain data: its JSON form loses nothing, so that
// the call can be made by another process.
type Call struct {
	Run     string        `json:"run"` // id of the run
	Frame   Address       `json:"frame,omitempty"`
	Index   int           `json:"executionIndex"` // that the call's record will have
	Part    string        `json:"part,omitempty"`
	Graph   string        `json:"graph,omitempty"` // the tool whose graph the frame runs; empty for the run's own
	Node    string        `json:"nodeId"`
	Attempt int           `json:"attempt,omitempty"` // from 2 on; 0 is the first
	Server  string        `json:"server"`            // name in mcpServers
	Tool    string        `json:"tool"`
	Effect  config.Effect `json:"effect,omitempty"` // what the call does, as far as that is believed; empty: unknown
	// Believed: Effect is what the server or the lock says, not the author.
	Believed bool          `json:"-"`
	Timeout  time.Duration `json:"timeout,omitempty"` // ns, from the moment the call is sent; 0: the server's
	Args     value.Value   `json:"-"`                 // an object; as "args"
	// Meta goes upstream as _meta, nil for none: values of package value, not to be
	// changed. The engine sends a key that is the same when the same step is called again,
	// so that a server can recognise a repetition.
	Meta map[string]any `json:"-"`
	// Task is the id of the task with which the server has answered the call before: the call is
	// not made, and its task is taken up. Empty: there is none.
	Task string `json:"task,omitempty"`
}

// At returns the address that the call's record will have.
func (c *Call) At() Address { return AddressOf(c.Frame, c.Index, c.Part) }

// Name returns the name of the node for mocks, breakpoints, expectations and coverage.
func (c *Call) Name() string { return NameOf(c.Graph, c.Node, c.Part) }

type callJSON struct {
	callFields
	Args value.JSON `json:"args,omitzero"`
	Meta value.JSON `json:"meta,omitzero"`
}

type callFields Call // without its methods

// MarshalJSON gives run, executionIndex, nodeId, server, tool, args and meta.
func (c Call) MarshalJSON() ([]byte, error) {
	out := callJSON{callFields: callFields(c), Args: value.JSON{Value: c.Args}}
	if c.Meta != nil {
		out.Meta.Value = c.Meta
	}
	return json.Marshal(out)
}

// UnmarshalJSON is the reverse of MarshalJSON.
func (c *Call) UnmarshalJSON(src []byte) error {
	var in callJSON
	if err := json.Unmarshal(src, &in); err != nil {
		return err
	}
	*c = Call(in.callFields)
	c.Args = in.Args.Value
	switch meta := in.Meta.Value.(type) {
	case nil:
	case value.Object:
		c.Meta = make(map[string]any, meta.Len())
		for _, key := range meta.Keys() {
			c.Meta[key], _ = meta.Get(key)
		}
	default:
		return errors.New("meta of a call is not an object")
	}
	return nil
}
