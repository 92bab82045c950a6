package results

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/serving/server"
)

// window is the part of a text that a call asks for.
type window struct {
	offset, most int // characters
	bytes        int // that the answer may have
}

// noteRoom is how many bytes the note of a page may have.
const noteRoom = 100

// of returns the window of a text. Where that is not the whole text, a second one says what it is.
func (w window) of(text []byte) (*server.Notice, error) {
	total := utf8.RuneCount(text)
	if w.offset > 0 && w.offset >= total {
		return nil, fmt.Errorf("offset is %d, and the answer has %s, numbered from 0; use a smaller one", w.offset, wording.Count(total, "character"))
	}
	if w.offset == 0 && w.most >= total && len(text) <= w.bytes {
		return &server.Notice{Texts: []string{string(text)}}, nil
	}
	shown, end := w.shown(text)
	note := fmt.Sprintf("characters %d to %d of %d", w.offset, end, total)
	if end < total {
		note += fmt.Sprintf("; next offset: %d", end)
	}
	return &server.Notice{Texts: []string{shown, note}}, nil
}

// shown returns what an answer shows of a text that has the offset, and the offset of its end.
func (w window) shown(text []byte) (shown string, end int) {
	text = text[bytesOf(text, w.offset):]
	limit := w.bytes
	if limit > 2*noteRoom {
		limit -= noteRoom
	}
	part := wording.Head(text[:bytesOf(text, w.most)], limit)
	if len(part) == 0 { // the first character alone has more bytes than the limit
		part = text[:bytesOf(text, 1)]
	}
	return string(part), w.offset + utf8.RuneCount(part)
}

const (
	// mostEncoded is how many bytes of JSON are written for one page.
	mostEncoded = 64 << 20
	// pageTime is how long that may take.
	pageTime = 2 * time.Second
)

// encoded returns the window of the JSON of a value without secrets. The JSON is written up to the end
// of the window only: the value may be much larger than it.
func (w window) encoded(ctx context.Context, v value.Value, secrets *config.Secrets) (*server.Notice, error) {
	tooFar := fmt.Errorf("offset is %d, and only the first %d MiB of what select yields can be read; select a part of it", w.offset, mostEncoded>>20)
	if w.offset >= mostEncoded {
		return nil, tooFar
	}
	meter := value.NewMeter(ctx, &value.Limits{Time: pageTime})
	// Where a secret may be cut, or a character: each byte of it as one of three bytes, and a quote.
	hidden := secrets.Longest() + 3*utf8.UTFMax
	for most := w.offset + min(w.most, w.bytes) + hidden; ; most *= 4 {
		most = min(most, mostEncoded)
		text, err := value.AppendMost(meter, nil, v, most)
		switch {
		case err == nil:
			return w.of(secrets.RedactJSON(text)) // parts of a secret may have been joined
		case !errors.Is(err, value.ErrTooLong):
			return nil, fmt.Errorf("what select yields cannot be written as JSON: %w", err)
		}
		clean := []byte(secrets.Redact(string(text)))
		clean = clean[:max(0, len(clean)-hidden)]
		if shown, end := w.shown(clean); bytesOf(clean, w.offset) < len(clean) && w.full(clean, shown, end) {
			note := fmt.Sprintf("characters %d to %d; there are more; next offset: %d", w.offset, end, end)
			return &server.Notice{Texts: []string{shown, note}}, nil
		}
		if most == mostEncoded {
			return nil, tooFar
		}
	}
}

// full reports whether no more of a longer text would be shown.
func (w window) full(text []byte, shown string, end int) bool {
	rest := text[bytesOf(text, w.offset):]
	return end == w.offset+w.most || len(rest) >= len(shown)+utf8.UTFMax
}

// bytesOf returns how many bytes the first n characters of a text have.
func bytesOf(text []byte, n int) int {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return at
}
