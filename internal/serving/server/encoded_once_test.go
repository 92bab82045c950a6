package server

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/cost"
)

// endedAt is a context that ends when it is asked for the most-th time.
type endedAt struct {
	context.Context

	times, most int
}

func (a *endedAt) Err() error {
	if a.times++; a.times >= a.most {
		return context.Canceled
	}
	return nil
}

// largeResults are an object of many small parts, and one text.
func largeResults() map[string]value.Value {
	items := make([]any, 100_000)
	for i := range items {
		items[i] = value.NewObject([]string{"name", "n"}, []value.Value{fmt.Sprint("the name of a row, ", i), float64(i)})
	}
	return map[string]value.Value{
		"rows": value.NewObject([]string{"items"}, []value.Value{items}),
		"text": strings.Repeat("a text\n", 1<<20),
	}
}

// X02: a result is encoded once and copied once for each place where the answer has it, with secrets to look for too.
func TestX02ResultIsEncodedOnce(t *testing.T) {
	if cost.Raced {
		t.Skip("the race detector allocates what is appended once more; the plain run counts")
	}
	for name, v := range largeResults() {
		b := newBench(t, func(o *Options) { o.Secrets = config.NewSecrets("a-secret-of-some-length") })
		all := b.server.tools.Load()
		c := &call{from: all, tool: all.byName["give"]}
		all.secrets.Redact("this makes the finder")
		size := uint64(value.Size(v))
		var line []byte
		// Once as JSON; then the line, with the text that has some escapes and, for an object, the JSON again.
		cost.Below(t, size+2*size+size/2, func() { line = b.server.appendValue(t.Context(), nil, []byte("1"), c, Answer{Value: v}, false) })
		if uint64(len(line)) < size {
			t.Errorf("%s: the line has %d bytes", name, len(line))
		}
	}
}

// X01: writing an answer ends when its call is cancelled, and not when the run was cancelled before.
func TestX01AnswerEndsWithItsCall(t *testing.T) {
	for name, v := range largeResults() {
		b := newBench(t, func(o *Options) { o.Secrets = config.NewSecrets("a-secret-of-some-length") })
		all := b.server.tools.Load()
		c := &call{from: all, tool: all.byName["give"]}
		answer := func(most int) (line string, times int) {
			ctx := &endedAt{Context: t.Context(), most: most}
			return string(b.server.appendValue(ctx, nil, []byte("1"), c, Answer{Value: v}, false)), ctx.times
		}
		whole, looks := answer(1 << 30)
		if looks < 3*(len(whole)>>18)/2 {
			t.Errorf("%s: %d looks for %d bytes", name, looks, len(whole))
		}
		for _, most := range []int{2, looks / 4, looks / 2, looks * 3 / 4, looks} {
			if line, times := answer(most); times > most || len(line) > 500 || !strings.Contains(line, "context canceled") {
				t.Errorf("%s: cancelled at look %d of %d: %d looks, %.300s", name, most, looks, times, line)
			}
		}
		if line, _ := answer(1); line != whole {
			t.Errorf("%s: of a run that was cancelled before: %.300s", name, line)
		}
	}
}
