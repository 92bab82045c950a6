package execution

import (
	"encoding/json"
	"errors"

	"toolgraph/expressions/value"
)

type startJSON struct {
	Tool  string     `json:"tool"`
	Graph string     `json:"graph"`
	Args  value.JSON `json:"args"`
}

// MarshalJSON writes tool, graph and args.
func (s Start) MarshalJSON() ([]byte, error) {
	return json.Marshal(startJSON{Tool: s.Tool, Graph: s.Graph, Args: value.JSON{Value: s.Args}})
}

// UnmarshalJSON is the reverse of MarshalJSON.
func (s *Start) UnmarshalJSON(src []byte) error {
	var in startJSON
	err := json.Unmarshal(src, &in)
	*s = Start{Tool: in.Tool, Graph: in.Graph, Args: in.Args.Value}
	return err
}

type endJSON struct {
	Value   value.JSON `json:"value,omitzero"`
	Failure *Failure   `json:"failure,omitempty"`
}

// MarshalJSON writes value or failure.
func (e End) MarshalJSON() ([]byte, error) {
	if e.Failure != nil {
		return json.Marshal(endJSON{Failure: e.Failure})
	}
	return json.Marshal(endJSON{Value: value.JSON{Value: orNull(e.Value)}})
}

// UnmarshalJSON is the reverse of MarshalJSON.
func (e *End) UnmarshalJSON(src []byte) error {
	var in endJSON
	err := json.Unmarshal(src, &in)
	*e = End{Value: in.Value.Value, Failure: in.Failure}
	if in.Failure == nil {
		e.Value = orNull(e.Value)
	}
	return err
}

// orNull returns the value, or null when there is none.
func orNull(v value.Value) value.Value {
	if v == nil {
		return value.Null
	}
	return v
}

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
