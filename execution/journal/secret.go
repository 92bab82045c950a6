package journal

import (
	"bytes"
	"encoding/json"
	"slices"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// bare returns the event without its value and without secrets; the event is not changed. An
// output is null there, to distinguish it from nothing.
func bare(e execution.Event, secrets *config.Secrets) execution.Event {
	e.Time = e.Time.UTC()
	if e.Start != nil {
		start := *e.Start
		start.Args, start.Vars = nil, bareVars(start.Vars, secrets)
		e.Start = &start
	}
	if e.Record != nil {
		record := *e.Record
		record.Start, record.End = record.Start.UTC(), record.End.UTC()
		if !record.Nothing() {
			record.Output = value.Null
		}
		record.Error = withoutSecrets(record.Error, secrets)
		record.Handled = withoutSecrets(record.Handled, secrets)
		if record.Confirmed != nil {
			record.Confirmed = &execution.Confirmation{At: record.Confirmed.At.UTC(), Digest: record.Confirmed.Digest}
		}
		record.Attempts = slices.Clone(record.Attempts)
		for i, a := range record.Attempts {
			record.Attempts[i] = bareAttempt(a, secrets)
		}
		e.Record = &record
	}
	if e.Retry != nil {
		e.Retry = &execution.Retry{Attempt: bareAttempt(e.Retry.Attempt, secrets), WaitMs: e.Retry.WaitMs}
	}
	if e.End != nil {
		e.End = &execution.End{Failure: withoutSecrets(e.End.Failure, secrets), Spilled: e.End.Spilled, Used: e.End.Used}
	}
	if e.Question != nil {
		e.Question = bareQuestion(e.Question, secrets)
	}
	if e.Answer != nil {
		answer := *e.Answer
		answer.Content, answer.Why, answer.Lacks = nil, secrets.Redact(answer.Why), secrets.Redact(answer.Lacks)
		e.Answer = &answer
	}
	return e
}

// bareVars returns the constants of a run without those that have a secret: a resumed run takes these
// from the file, and its graph's hash shows whether they are the same. It returns nil for none.
func bareVars(vars value.Value, secrets *config.Secrets) value.Value {
	object, isObject := vars.(value.Object)
	if !isObject || secrets.Len() == 0 {
		return vars
	}
	var names []string
	var values []value.Value
	for _, name := range object.Keys() {
		v, _ := object.Get(name)
		text, err := value.Encode(v)
		if err == nil && bytes.Equal(text, secrets.RedactJSON(text)) {
			names, values = append(names, name), append(values, v)
		}
	}
	if names == nil {
		return nil
	}
	return value.NewObject(names, values)
}

func bareAttempt(a execution.Attempt, secrets *config.Secrets) execution.Attempt {
	return execution.Attempt{Start: a.Start.UTC(), End: a.End.UTC(), Error: withoutSecrets(a.Error, secrets)}
}

// withoutSecrets returns what is recorded of a failure: all of it, without secrets.
func withoutSecrets(f *execution.Failure, secrets *config.Secrets) *execution.Failure {
	if f == nil {
		return nil
	}
	safe := *f
	for _, text := range []*string{&safe.Detail, &safe.Message, &safe.Lacks, &safe.Plain, &safe.Raised} {
		*text = secrets.Redact(*text)
	}
	safe.Item = redactText(f.Item, secrets)
	safe.Structured, safe.Result = secrets.RedactJSON(f.Structured), secrets.RedactJSON(f.Result)
	safe.Callers = slices.Clone(f.Callers)
	for i := range safe.Callers {
		safe.Callers[i].Item = redactText(safe.Callers[i].Item, secrets)
	}
	return &safe
}

// redactText redacts a text that may be JSON, or the beginning of it.
func redactText(text string, secrets *config.Secrets) string {
	if json.Valid([]byte(text)) {
		text = string(secrets.RedactJSON([]byte(text)))
	}
	return secrets.Redact(text)
}
