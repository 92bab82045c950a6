package mcpclient

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/mark3labs/mcp-go/client/transport"
)

// errNetwork marks an *Error of a server that could not be talked to at all.
var errNetwork = errors.New("the server cannot be reached")

// unreachable reports whether another kind of handshake would fail likewise.
func unreachable(err error) bool { return errors.Is(err, errNetwork) }

// explain turns an error of the library into an *Error that names the host and never
// the address, which may hold a password or a key.
func (r *remote) explain(ctx context.Context, err error) error {
	if failed := r.failure(); failed != nil {
		return failed
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e := &Error{Code: CodeTransport}
	var private *privateAddressError
	var address *url.Error
	var certificate *tls.CertificateVerificationError
	var login *loginError
	var renewal *renewError
	var status *statusError
	switch {
	case errors.As(err, &login):
		e.Code, e.Err, e.Message = CodeLoginNeeded, errNetwork, fmt.Sprintf("%s wants a login: %s", r.host, r.plain(login))
	case errors.As(err, &renewal):
		e.Err, e.RetryAfter = errNetwork, renewal.wait
		e.Message = fmt.Sprintf("%s wants a token, and %s", r.host, r.plain(renewal))
	case errors.As(err, &private):
		e.Code, e.Err = CodePrivateAddress, errNetwork
		e.Message = fmt.Sprintf("%s is refused: %v", r.host, private)
		if !private.never {
			e.Hint = "if that is meant, add allowPrivate: true to the server"
		}
	case errors.As(err, &status):
		r.explainStatus(e, status)
	case errors.Is(err, errForeignAnswer), errors.Is(err, errNoID), errors.Is(err, errBatch), errors.Is(err, errUnanswered):
		e.Message = fmt.Sprintf("%s broke the protocol: %s", r.host, r.plain(err))
		e.Hint = "its answer is not used; the server has to be mended"
	case errors.Is(err, errBodyTooLarge):
		e.Code, e.Message = CodeTooLarge, fmt.Sprintf("%s sent more than is read of one answer", r.host)
	case errors.Is(err, errElsewhere):
		e.Err, e.Message = errNetwork, r.host+" points to another host, which is not followed"
		e.Hint = "give the final address as url"
	case errors.Is(err, errRedirects):
		e.Err, e.Message = errNetwork, fmt.Sprintf("%s redirects more than %d times", r.host, redirectsMost)
	case errors.As(err, &certificate):
		e.Err, e.Message = errNetwork, fmt.Sprintf("the certificate of %s is not trusted: %v", r.host, certificate.Err)
	case errors.Is(err, transport.ErrSessionTerminated):
		r.fail(&Error{Code: CodeTransport, Message: r.host + " answered 404: it does not know the session, or its url is wrong"})
		return fmt.Errorf("%w: %w", errUnsent, r.failure())
	case errors.Is(err, transport.ErrAuthorizationRequired):
		e.Message, e.Hint = r.host+" asks for authorization (401)", "give it in headers, for example Authorization, or add oauth: {} to the server"
	case errors.As(err, &address):
		e.Err, e.Message = errNetwork, fmt.Sprintf("%s cannot be reached: %s", r.host, r.plain(address.Err))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Message = r.host + " broke off its answer"
	default:
		e.Message = fmt.Sprintf("the exchange with %s failed: %s", r.host, r.plain(err))
	}
	return e
}

// explainStatus reports a status of failure as what it is.
func (r *remote) explainStatus(e *Error, status *statusError) {
	e.Message, e.RetryAfter = fmt.Sprintf("%s answered with %v", r.host, status), status.wait
	if said := status.excerpt(r.note.redact); said != "" {
		e.Message += ": " + said
	}
	switch {
	case status.status == http.StatusTooManyRequests || status.wait > 0:
		e.Err = errNetwork // another kind of handshake would be one request more
	case status.handshake && status.status < 500:
		e.Hint = "check its url; a server of the first MCP revision needs type: sse"
	}
}

// plain is the text of an error, redacted and short.
func (r *remote) plain(err error) string { return r.note.shown(err.Error(), 500) }
