package page

import (
	"bytes"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// hidden is a value without secrets.
func hidden(secrets *config.Secrets, v value.Value) value.Value {
	if v == nil || secrets.Len() == 0 {
		return v
	}
	raw, err := value.Encode(v)
	if err != nil {
		return "[redacted]" // a value of a run always has its JSON
	}
	clean := secrets.RedactJSON(raw)
	if bytes.Equal(clean, raw) {
		return v
	}
	if v, err = value.Decode(clean); err != nil {
		return "[redacted]"
	}
	return v
}

func hiddenFailure(secrets *config.Secrets, f *execution.Failure) *execution.Failure {
	if f == nil {
		return nil
	}
	return &execution.Failure{
		Code: f.Code, Detail: f.Detail, Message: secrets.Redact(f.Message), Node: f.Node, Pos: f.Pos,
		Structured: secrets.RedactJSON(f.Structured),
	}
}

// hiddenRecords are records without secrets.
func hiddenRecords(secrets *config.Secrets, records []execution.Record) []execution.Record {
	out := make([]execution.Record, len(records))
	for i, r := range records {
		r.Output, r.Error = hidden(secrets, r.Output), hiddenFailure(secrets, r.Error)
		out[i] = r
	}
	return out
}
