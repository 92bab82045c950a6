package journal

import (
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
		start.Args = nil
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
		e.End = &execution.End{Failure: withoutSecrets(e.End.Failure, secrets), Spilled: e.End.Spilled}
	}
	if e.Question != nil {
		e.Question = bareQuestion(e.Question, secrets)
	}
	if e.Answer != nil {
		answer := *e.Answer
		answer.Content, answer.Why = nil, secrets.Redact(answer.Why)
		e.Answer = &answer
	}
	return e
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
	for _, text := range []*string{&safe.Detail, &safe.Message, &safe.Plain, &safe.Raised} {
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
