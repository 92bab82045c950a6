package value

// JSON is a value as a field that encoding/json writes and reads: object keys keep their
// order and numbers their digits, which plain decoding loses. Nil is no value: omitzero
// leaves it out, and a missing field is nil, where null is Null.
type JSON struct{ Value Value }

// MarshalJSON returns the value's JSON.
func (j JSON) MarshalJSON() ([]byte, error) { return Encode(j.Value) }

// UnmarshalJSON decodes the value.
func (j *JSON) UnmarshalJSON(src []byte) (err error) {
	j.Value, err = Decode(src)
	return err
}
