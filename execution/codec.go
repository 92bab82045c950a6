package execution

import (
	"encoding/json"
	"errors"

	"toolgraph/expressions/value"
)

// kept is a value on its way into or out of a journal: object keys keep their order
// and numbers their digits, which plain decoding loses.
type kept struct{ value value.Value }

func (k kept) MarshalJSON() ([]byte, error) { return value.Encode(k.value) }

func (k *kept) UnmarshalJSON(src []byte) (err error) {
	k.value, err = value.Decode(src)
	return err
}

type startJSON struct {
	Tool  string `json:"tool"`
	Graph string `json:"graph"`
	Args  kept   `json:"args"`
}

// MarshalJSON gives tool, graph and args.
func (s Start) MarshalJSON() ([]byte, error) {
	return json.Marshal(startJSON{Tool: s.Tool, Graph: s.Graph, Args: kept{s.Args}})
}

// UnmarshalJSON is the reverse of MarshalJSON.
func (s *Start) UnmarshalJSON(src []byte) error {
	var in startJSON
	err := json.Unmarshal(src, &in)
	*s = Start{Tool: in.Tool, Graph: in.Graph, Args: in.Args.value}
	return err
}

type endJSON struct {
	Value   *kept    `json:"value,omitempty"`
	Failure *Failure `json:"failure,omitempty"`
}

// MarshalJSON gives value or failure.
func (e End) MarshalJSON() ([]byte, error) {
	out := endJSON{Failure: e.Failure}
	if e.Failure == nil {
		out.Value = &kept{e.Value}
	}
	return json.Marshal(out)
}

// UnmarshalJSON is the reverse of MarshalJSON.
func (e *End) UnmarshalJSON(src []byte) error {
	var in endJSON
	err := json.Unmarshal(src, &in)
	*e = End{Failure: in.Failure}
	switch { // null makes no kept
	case in.Value != nil:
		e.Value = in.Value.value
	case in.Failure == nil:
		e.Value = value.Null
	}
	return err
}

type callJSON struct {
	callFields
	Args kept `json:"args,omitzero"`
	Meta kept `json:"meta,omitzero"`
}

type callFields Call // without its methods

// MarshalJSON gives run, executionIndex, nodeId, server, tool, args and meta.
func (c Call) MarshalJSON() ([]byte, error) {
	out := callJSON{callFields: callFields(c), Args: kept{c.Args}}
	if c.Meta != nil {
		out.Meta = kept{c.Meta}
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
	c.Args = in.Args.value
	switch meta := in.Meta.value.(type) {
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
