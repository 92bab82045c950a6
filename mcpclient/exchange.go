package mcpclient

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

var (
	errForeignAnswer = errors.New("the answer belongs to another request")
	errBatch         = errors.New("the answer is a batch (a JSON array), expected one response")
	errNoID          = errors.New("the answer has no id")
	errUnanswered    = errors.New("it ended the stream of the answer without an answer")
)

// exchange is one request over HTTP and what is known of its answer. It is in the
// request's context, because the library does not report why it did not use an answer.
type exchange struct {
	id        mcp.RequestId
	handshake bool // initialize or server/discover
	direct    bool // the answer comes in the body; sse sends it down its one stream
	note      notes

	mu     sync.Mutex // guards the fields below
	fault  error      // why the answer was not used; the first one
	status *statusError
}

type exchangeKey struct{}

func exchangeOf(req *http.Request) *exchange {
	x, _ := req.Context().Value(exchangeKey{}).(*exchange)
	return x
}

// fail notes the first fault and returns it. x may be nil.
func (x *exchange) fail(err error) error {
	if x == nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.fault == nil {
		x.fault = err
	}
	return x.fault
}

// answered returns the response to the request, or what went wrong.
func (x *exchange) answered(resp *transport.JSONRPCResponse, err error) (*transport.JSONRPCResponse, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.fault != nil:
		return nil, x.fault
	case errors.Is(err, transport.ErrLegacySSEServer) && x.status != nil:
		return nil, x.status
	case err != nil && strings.Contains(err.Error(), "unexpected nil response"): // the library's word for it
		return nil, errUnanswered
	case err != nil:
		return nil, err
	case resp.ID.String() != x.id.String():
		id := presentable(fmt.Sprintf("%#v", resp.ID.Value()), 100)
		return nil, fmt.Errorf("%w: it has the id %s, expected %v", errForeignAnswer, id, x.id.Value())
	case resp.Error != nil && x.status != nil:
		resp.Error.Message = statusWords(x.status.status, x.status.wait) + ": " + resp.Error.Message
	}
	return resp, nil
}

// accept returns a message, read into e, as the library gets it when it is a response;
// whether it is the response to this request is checked at the end. ok is false when it
// is not a response.
func (x *exchange) accept(raw []byte, e envelope) (message []byte, ok bool, err error) {
	switch {
	case e.method != nil || e.result == nil && e.fail == nil:
		return nil, false, nil
	case e.id != nil:
		return raw, true, nil
	case e.fail == nil || bytes.Equal(e.fail, []byte("null")):
		return nil, true, x.fail(errNoID)
	}
	// A server that could not read the request answers so, and the request is this one.
	id, err := json.Marshal(x.id)
	if err != nil {
		return nil, true, err
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, e.fail), true, nil
}

// check leaves the library no response in an answer but that to the request.
func (x *exchange) check(kind string, resp *http.Response) error {
	switch kind {
	case "application/json":
		raw, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err == nil {
			raw, err = x.checked(raw)
		}
		if err != nil {
			return x.fail(err)
		}
		resp.Body = io.NopCloser(bytes.NewReader(raw))
	case "text/event-stream":
		resp.Body = &answerStream{x: x, body: resp.Body, in: bufio.NewReader(resp.Body)}
	}
	return nil
}

// checked returns the response that is a whole body.
func (x *exchange) checked(raw []byte) ([]byte, error) {
	e, err := readEnvelope(raw)
	if err != nil {
		if bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("[")) {
			return nil, errBatch
		}
		return nil, errors.New("the answer is not a JSON object")
	}
	message, ok, err := x.accept(raw, e)
	if err == nil && !ok {
		err = errors.New("the answer is not a JSON-RPC response")
	}
	return message, err
}

// answerStream is a stream of events that ends with the response. The library, which reads
// lines as this does, would wait for ever for what follows it.
type answerStream struct {
	x    *exchange
	body io.Closer
	in   *bufio.Reader
	out  bytes.Buffer // checked and not read yet
	end  error
}

func (s *answerStream) Read(p []byte) (int, error) {
	for s.out.Len() == 0 {
		if s.end != nil {
			return 0, s.end
		}
		s.end = s.next()
	}
	return s.out.Read(p)
}

func (s *answerStream) Close() error { return s.body.Close() }

// next reads one event and passes on what the library may see of it. The error ends the
// stream.
func (s *answerStream) next() error {
	var data []string
	var rest strings.Builder // all lines that are not data
	for {
		line, err := s.in.ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		text := strings.TrimRight(line, "\r\n")
		if value, is := strings.CutPrefix(text, "data:"); is {
			data = append(data, strings.TrimPrefix(value, " "))
		} else if text != "" {
			rest.WriteString(text + "\n")
		}
		if err == nil && text != "" {
			continue
		}
		message, end := s.filter([]byte(strings.Join(data, "\n")))
		if end != nil && !errors.Is(end, io.EOF) {
			return end
		}
		s.out.WriteString(rest.String())
		for line := range bytes.Lines(message) {
			s.out.WriteString("data: " + string(bytes.TrimRight(line, "\r\n")) + "\n")
		}
		s.out.WriteByte('\n')
		if end != nil {
			return end
		}
		return err
	}
}

// filter returns the data of an event as the library may see them, nil when it must not.
// The error ends the stream; io.EOF is its good end, after the response.
func (s *answerStream) filter(data []byte) (message []byte, end error) {
	if len(data) == 0 {
		return nil, nil
	}
	e, err := readEnvelope(data)
	if err != nil {
		if data[0] == '[' {
			return nil, s.x.fail(errBatch)
		}
		s.x.note.stray("an event that is not a JSON object", data)
		return nil, nil
	}
	message, ok, err := s.x.accept(data, e)
	switch {
	case err != nil:
		return nil, err
	case ok:
		return message, io.EOF
	case e.method == nil:
		s.x.note.stray("a message that is neither request, response nor notification", data)
		return nil, nil
	}
	return data, nil
}

// waitMost is the longest Retry-After that is respected.
const waitMost = 24 * time.Hour

// retryAfter returns how long a server asks not to be called, 0 when it does not.
func retryAfter(h http.Header, now time.Time) time.Duration {
	said := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(said, 10, 64); err == nil {
		return time.Duration(min(max(seconds, 0), int64(waitMost/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(said); err == nil {
		return min(max(at.Sub(now).Round(time.Second), 0), waitMost)
	}
	return 0
}

// statusWords describes a status, and how long the server asks not to be called.
func statusWords(status int, wait time.Duration) string {
	words := strings.TrimSpace(fmt.Sprintf("status %d %s", status, http.StatusText(status)))
	if wait > 0 {
		words += fmt.Sprintf(", retry after %s", wait)
	}
	return words
}

// statusError is an answer that reports a failure by its HTTP status.
type statusError struct {
	status    int
	wait      time.Duration
	body      string // its start; not in Error, for it has to be redacted
	truncated bool   // the body was longer
	handshake bool
}

func (e *statusError) Error() string { return statusWords(e.status, e.wait) }

const (
	errorBodyMost = 64 << 10 // bytes that are read of an answer of failure
	errorBodyEdge = 32 << 10 // the last of them, which may hold a part of a secret that redaction cannot recognize
	excerptMost   = 500      // bytes that are shown
)

// excerpt returns the part of the body that is shown.
func (e *statusError) excerpt(redact func(string) string) string {
	text := redact(e.body)
	if e.truncated {
		text = text[:max(0, len(text)-errorBodyEdge)]
	}
	return presentable(strings.TrimSpace(text), excerptMost)
}

// judge turns a status of failure into an error, before the library takes the body for
// something else. The statuses on which the library acts pass: 401, 404, and a JSON-RPC
// error in answer to the request.
func judge(req *http.Request, resp *http.Response) (*http.Response, error) {
	if resp.StatusCode < 400 || resp.StatusCode == http.StatusUnauthorized {
		return resp, nil
	}
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, errorBodyMost)) // a part is enough
	_ = resp.Body.Close()
	e := &statusError{
		status: resp.StatusCode, wait: retryAfter(resp.Header, time.Now()), body: string(raw), truncated: len(raw) == errorBodyMost,
	}
	x := exchangeOf(req)
	if x != nil {
		e.handshake = x.handshake
		x.mu.Lock()
		x.status = e
		x.mu.Unlock()
	}
	if e.status == http.StatusNotFound {
		resp.Body = http.NoBody
		return resp, nil
	}
	busy := e.status == http.StatusTooManyRequests || e.status >= 500
	if x == nil || !x.direct || x.handshake && busy {
		return nil, e
	}
	envelope, err := readEnvelope(raw)
	if err != nil || envelope.fail == nil {
		return nil, e
	}
	message, ok, err := x.accept(raw, envelope)
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, e
	}
	resp.Body = io.NopCloser(bytes.NewReader(message))
	return resp, nil
}
