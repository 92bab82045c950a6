package server

import (
	"context"
	"strconv"
	"time"

	"toolgraph/expressions/value"
)

// Answer is what a run gives the client that called.
type Answer struct {
	Value  value.Value // the result; of a call that failed how far it came, nil when the error says all
	Notice *Notice     // what the client gets in place of the value; nil: the value
	Usage  *Usage      // nil: nothing is reported

	// Whole is the result of an upstream call as JSON, which the client gets in place of the value: its content,
	// structuredContent, isError and _meta, without secrets. nil: the value.
	Whole []byte

	// Shown returns what the view of a client shows of the call, a JSON object; nil: nothing. It is called, once, only for a
	// client with views. Secrets in it are redacted. nil: there is nothing to show.
	Shown func(ctx context.Context) []byte

	// Details belong to a value that is the result of an upstream call, unchanged: for each item of its
	// content an object with the annotations and the _meta of a text item, or nil. They are redacted,
	// and only what is valid is sent. Beside an outputSchema they are not sent.
	Details []value.Value
}

// Notice is content in place of a value that the client does not get: texts, and a link to the
// value. Secrets in it are redacted.
type Notice struct {
	Texts  []string
	Link   *Resource // nil: none
	Failed bool      // for the client the call has failed (isError)
}

// Usage is what a run has used. A result reports it in _meta, under RunMeta.
type Usage struct {
	Run      string // its id
	Calls    int    // to upstream servers, attempts included
	BytesIn  int    // of the values that these returned, as compact JSON
	Duration time.Duration
	Warnings []string // about the request; nil: none
}

// RunMeta is the key in _meta for what a run has used.
const RunMeta = "toolgraph/run"

// Saved estimates how many tokens fewer a model has read, when it read so many bytes of the
// result, than when it had made the calls itself. It is never below 0.
func (u *Usage) Saved(bytesOut int) int { return value.TokensSaved(u.BytesIn, bytesOut) }

// JSON returns what _meta has under RunMeta: an object with the id of the run, the number of its
// calls, bytesIn, bytesOut, durationMs and tokensSaved.
func (u *Usage) JSON(bytesOut int) []byte {
	dst := value.AppendString([]byte(`{"id":`), u.Run)
	for _, field := range []struct {
		key string
		n   int64
	}{
		{"calls", int64(u.Calls)},
		{"bytesIn", int64(u.BytesIn)},
		{"bytesOut", int64(bytesOut)},
		{"durationMs", u.Duration.Milliseconds()},
		{"tokensSaved", int64(u.Saved(bytesOut))},
	} {
		dst = strconv.AppendInt(append(dst, `,"`+field.key+`":`...), field.n, 10)
	}
	if len(u.Warnings) > 0 {
		dst = append(dst, `,"warnings":[`...)
		for i, text := range u.Warnings {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = value.AppendString(dst, text)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// append appends the member of _meta.
func (u *Usage) append(dst []byte, bytesOut int) []byte {
	return append(append(dst, `"`+RunMeta+`":`...), u.JSON(bytesOut)...)
}

// failed returns the notice of a failed call: a result with isError, which the model sees, so
// that it can correct its call.
func failed(message string) *Notice { return &Notice{Texts: []string{message}, Failed: true} }

// appendLink appends the item that is the link of a notice.
func (n *Notice) appendLink(dst []byte) []byte {
	return append(n.Link.appendMembers(append(dst, `{"type":"resource_link",`...), "uri"), '}')
}

// appendNotice appends the answer line of a call whose run yields no value for the client.
func (s *Server) appendNotice(dst, id []byte, c *call, n *Notice, used *Usage) []byte {
	if c.tool.prompt {
		return s.appendPromptNotice(dst, id, c, n, used)
	}
	dst = append(appendHead(dst, id), `"result":{"content":[`...)
	out := 0
	for i, text := range n.Texts {
		if i > 0 {
			dst = append(dst, ',')
		}
		text = c.from.secrets.Redact(text)
		out += len(text)
		dst = appendText(dst, text)
	}
	if n.Link != nil {
		from := len(dst) + len(",")
		dst = n.appendLink(append(dst, ','))
		out += len(dst) - from
	}
	dst = append(dst, ']')
	if n.Failed {
		c.outcome.Failed = true
		dst = append(dst, `,"isError":true`...)
	}
	return s.appendTail(dst, c, used, out)
}
