package mcpclient

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// waitMost is the longest Retry-After that is believed.
const waitMost = 24 * time.Hour

// retryAfter is how long a server asks to be left alone, 0 when it does not.
func retryAfter(h http.Header, now time.Time) time.Duration {
	said := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(said, 10, 64); err == nil {
		return min(time.Duration(min(max(seconds, 0), int64(waitMost/time.Second)))*time.Second, waitMost)
	}
	if at, err := http.ParseTime(said); err == nil {
		return min(max(at.Sub(now).Round(time.Second), 0), waitMost)
	}
	return 0
}

// statusWords is a status, and how long the server asks to be left alone.
func statusWords(status int, wait time.Duration) string {
	words := fmt.Sprintf("status %d", status)
	if name := http.StatusText(status); name != "" {
		words += " " + name
	}
	if wait > 0 {
		words += fmt.Sprintf(", retry after %s", wait)
	}
	return words
}

// statusError is an answer that reports a failure by its HTTP status.
type statusError struct {
	status    int
	wait      time.Duration
	body      string // its begin; not in Error, for it has to be redacted
	cut       bool   // there was more
	handshake bool
}

func (e *statusError) Error() string { return statusWords(e.status, e.wait) }

const (
	errorBodyMost = 64 << 10 // bytes that are read of an answer that is no success
	errorBodyEdge = 32 << 10 // the last of them, which may hold a part of a secret that redaction does not know
	excerptMost   = 500      // characters that are shown
)

// excerpt is what is shown of the body.
func (e *statusError) excerpt(redact func(string) string) string {
	text := redact(e.body)
	if e.cut {
		text = text[:max(0, len(text)-errorBodyEdge)]
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	var out strings.Builder
	n := 0
	for _, r := range text {
		if n++; n > excerptMost {
			return out.String() + "…"
		}
		if unicode.IsPrint(r) {
			out.WriteRune(r)
		} else {
			out.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return out.String()
}

// judge turns a status of failure into an error, before the library takes the body for
// something else. What the library acts upon goes on: 401, 404, and a JSON-RPC error in
// answer to the request.
func judge(req *http.Request, resp *http.Response) (*http.Response, error) {
	if resp.StatusCode < 400 || resp.StatusCode == http.StatusUnauthorized {
		return resp, nil
	}
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, errorBodyMost)) // what came before it broke off is enough
	_ = resp.Body.Close()
	e := &statusError{
		status: resp.StatusCode, wait: retryAfter(resp.Header, time.Now()), body: string(raw), cut: len(raw) == errorBodyMost,
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
