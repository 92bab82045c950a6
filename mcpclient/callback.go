package mcpclient

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

const callbackPath = "/callback"

// callback is the loopback address to which a browser brings the answer of an
// authorization server. What does not carry our state, such as what a page of
// somebody else's sends, is turned away and ends nothing.
type callback struct {
	host   string // of the only address that is answered
	state  string
	server *http.Server
	came   chan url.Values
}

func newCallback(listener net.Listener, state string) *callback {
	c := &callback{host: listener.Addr().String(), state: state, came: make(chan url.Values, 1)}
	c.server = &http.Server{Handler: c, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	go func() { _ = c.server.Serve(listener) }() // ends with close
	return c
}

func (c *callback) address() string { return "http://" + c.host + callbackPath }

func (c *callback) close() {
	ctx, stop := context.WithTimeout(context.Background(), time.Second) // for the page that was just sent
	defer stop()
	if c.server.Shutdown(ctx) != nil {
		_ = c.server.Close()
	}
}

func (c *callback) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	out.Header().Set("Content-Type", "text/plain; charset=utf-8")
	out.Header().Set("Referrer-Policy", "no-referrer")
	out.Header().Set("Cache-Control", "no-store")
	out.Header().Set("Connection", "close")
	answer := r.URL.Query()
	switch {
	case r.Host != c.host:
		http.Error(out, "this address is not served", http.StatusForbidden)
	case r.Method != http.MethodGet || r.URL.Path != callbackPath:
		http.NotFound(out, r)
	case subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(c.state)) != 1:
		http.Error(out, "this is not the answer to the login that was begun; go back to the terminal", http.StatusBadRequest)
	default:
		select {
		case c.came <- answer:
		default: // a second answer
		}
		fmt.Fprintln(out, "You can close this page and go back to the terminal.")
	}
}

// wait is the code that the browser brings. issuer is who must have sent it, where
// the answer says so.
func (c *callback) wait(ctx context.Context, issuer string) (code string, err error) {
	var answer url.Values
	select {
	case answer = <-c.came:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	switch from := answer.Get("iss"); {
	case from != "" && issuer != "" && from != issuer:
		return "", errors.New("the answer came from another authorization server than was asked")
	case answer.Get("error") != "":
		return "", fmt.Errorf("the authorization server refused: %s %s", answer.Get("error"), answer.Get("error_description"))
	case answer.Get("code") == "":
		return "", errors.New("the answer of the browser has no code")
	}
	return answer.Get("code"), nil
}
