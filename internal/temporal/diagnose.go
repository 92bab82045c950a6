package temporal

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc/codes"
)

// explain returns an error of the first requests to a server with the remedy. The SDK has the
// cause of a failed connection as text only, so the connection is tried once more here.
func explain(ctx context.Context, options *client.Options, err error) error {
	var missing *serviceerror.NamespaceNotFound
	var notFound *serviceerror.NotFound
	var denied *serviceerror.PermissionDenied
	switch {
	case ctx.Err() != nil && context.Cause(ctx) != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return context.Cause(ctx)
	case errors.As(err, &missing), errors.As(err, &notFound):
		return fmt.Errorf("the Temporal server at %s has no namespace %q; name another one with --namespace, or create it: temporal operator namespace create --namespace %s",
			options.HostPort, options.Namespace, options.Namespace)
	case errors.As(err, &denied), serviceerror.ToStatus(err).Code() == codes.Unauthenticated:
		return fmt.Errorf("the Temporal server at %s does not let this client use namespace %q: %w; check the API key (--api-key-file), the client certificate (--tls-cert-path) and the namespace",
			options.HostPort, options.Namespace, err)
	}
	if found := probe(ctx, options); found != nil {
		return found
	}
	return fmt.Errorf("the Temporal server at %s: %w", options.HostPort, err)
}

// probe connects as the SDK does and returns what is wrong; nil when the connection works.
func probe(ctx context.Context, options *client.Options) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), options.ConnectionOptions.GetSystemInfoTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", options.HostPort)
	if err != nil {
		return fmt.Errorf("the Temporal server at %s cannot be reached: %w; check --address, or start a server on this machine: temporal server start-dev", options.HostPort, err)
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline) // an error would return from the handshake
	}
	wanted := options.ConnectionOptions.TLS
	if wanted == nil {
		anything := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}} //nolint:gosec // nothing is sent: the question is whether the server speaks TLS
		if tls.Client(conn, anything).HandshakeContext(ctx) == nil {
			return fmt.Errorf("the Temporal server at %s requires TLS; add --tls, or --tls-ca-path with its authority", options.HostPort)
		}
		return nil
	}
	config := wanted.Clone()
	config.NextProtos = []string{"h2"}
	secured := tls.Client(conn, config)
	err = secured.HandshakeContext(ctx)
	if err == nil {
		// With TLS 1.3 a server refuses the certificate of a client after the handshake.
		_, err = secured.Read(make([]byte, 1))
	}
	return refused(options, err)
}

// refused returns what a failed handshake means; nil when it did not fail.
func refused(options *client.Options, err error) error {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var plain tls.RecordHeaderError
	var remote *net.OpError
	at := options.HostPort
	switch {
	case errors.As(err, &authority):
		return fmt.Errorf("the certificate of the Temporal server at %s is refused: %w; name the PEM file of its authority with --tls-ca-path", at, authority)
	case errors.As(err, &name):
		return fmt.Errorf("the certificate of the Temporal server at %s is refused: %w; name the host that it is for with --tls-server-name", at, name)
	case errors.As(err, &invalid):
		return fmt.Errorf("the certificate of the Temporal server at %s is refused: %w; the server needs a valid certificate", at, invalid)
	case errors.As(err, &plain):
		return fmt.Errorf("the Temporal server at %s does not speak TLS; remove the --tls… flags, the API key and TEMPORAL_TLS…", at)
	case errors.As(err, &remote) && remote.Op == "remote error": // how crypto/tls reports an alert
		return fmt.Errorf("the Temporal server at %s refuses the certificate of this client: %w; name one that it accepts with --tls-cert-path and --tls-key-path", at, err)
	case err == nil, errors.Is(err, io.EOF):
		return nil
	}
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		return nil
	}
	return fmt.Errorf("the TLS connection to the Temporal server at %s fails: %w", at, err)
}
