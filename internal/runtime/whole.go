package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/serving/server"
	"toolgraph/mcpclient"
)

// wholeResult makes the answer of a run of one call what its server has answered, unless that has more bytes than most; 0:
// any number. An answer that was not made for this client, or none, is that of the run.
func (l *Loaded) wholeResult(run server.Run, name string, most int) server.Run {
	return func(ctx context.Context, args value.Value, watch server.Watch) (server.Answer, error) {
		w := &wholeAnswer{most: most}
		answer, err := run(through(mcpclient.WithWhole(ctx, w.keep), func(d *door) { d.whole = w }), args, watch)
		if whole, ok := w.passedOn(err); ok && answer.Notice == nil {
			l.named(name, whole.items)
			answer.Whole = whole.raw
			return answer, nil
		}
		return answer, err
	}
}

// wholeAnswer is what the server of a run of one call has answered. Safe for concurrent use.
type wholeAnswer struct {
	most int // bytes of content that are passed on; 0: any number

	mu   sync.Mutex
	last *wholeParts // nil: there is none yet
}

// wholeParts is a result of tools/call.
type wholeParts struct {
	raw        []byte
	isRead     bool
	content    json.RawMessage
	structured json.RawMessage
	items      value.Value // the content
	size       int         // of the items in bytes of JSON, or of their texts where that is less: a text is often the JSON of structuredContent, escaped
}

// keep keeps the result of the last attempt.
func (w *wholeAnswer) keep(result []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = &wholeParts{raw: result}
}

// passedOn returns what the client gets in place of the value of the run, which has ended with this error; ok is false when it
// gets the value.
func (w *wholeAnswer) passedOn(err error) (whole *wholeParts, ok bool) {
	if w == nil {
		return nil, false
	}
	var step *execution.StepError
	if err != nil && (!errors.As(err, &step) || step.Code() != execution.CodeTool || errors.Is(err, execution.ErrSuspended)) {
		return nil, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last == nil {
		return nil, false
	}
	w.last.read()
	return w.last, w.most == 0 || w.last.size <= w.most
}

// bytesOut returns how many bytes the client gets, when it gets the result whole.
func (w *wholeAnswer) bytesOut(err error) (bytes int, ok bool) {
	whole, ok := w.passedOn(err)
	if !ok {
		return 0, false
	}
	return server.WholeBytes(whole.content, whole.structured), true
}

// read finds the parts of the result, once.
func (p *wholeParts) read() {
	if p.isRead {
		return
	}
	p.isRead = true
	var parts struct {
		Content    json.RawMessage `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
	}
	if json.Unmarshal(p.raw, &parts) != nil {
		p.size = len(p.raw)
		return
	}
	p.content, p.structured = parts.Content, parts.Structured
	content, err := value.Decode(parts.Content)
	if err != nil {
		p.size = len(parts.Content)
		return
	}
	p.items = content
	items, _ := content.([]any)
	for _, item := range items {
		p.size += itemSize(item)
	}
}

// itemSize returns the bytes of an item of content, see wholeParts.
func itemSize(item value.Value) int {
	if o, is := item.(value.Object); is {
		text, _ := o.Get("text")
		if s, isText := text.(string); isText {
			return len(s)
		}
	}
	return value.Size(item)
}
