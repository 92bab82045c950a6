package observe

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/cenkalti/backoff/v5"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"toolgraph/internal/base/wording"
)

// upload sends batches of spans, metrics or log records to a collector over OTLP/HTTP, with protobuf bodies;
// it is an otlptrace.Client. What it sends waits in its callers, which bound it. OpenTelemetry's own client imports gRPC, see docs/adr/0011-otlp.md. The
// protocol is that of https://opentelemetry.io/docs/specs/otlp/#otlphttp.
type upload struct {
	client  *http.Client
	url     string
	headers map[string]string
	gzip    bool
	retry   []backoff.RetryOption
}

// Limits of an upload: how long it is repeated, and how much of an answer is read.
const (
	uploadFor = time.Minute
	maxAnswer = 64 << 10
	maxReason = 200 // bytes of what a collector says, in an error
)

// newUpload reads the variables OTEL_EXPORTER_OTLP_… of the environment, and those for one signal
// alone, traces, metrics or logs, which win: https://opentelemetry.io/docs/specs/otel/protocol/exporter.
func newUpload(env func(string) string, signal string) (*upload, error) {
	own := "OTEL_EXPORTER_OTLP_" + strings.ToUpper(signal) + "_"
	setting := func(name string) string {
		if v := strings.TrimSpace(env(own + name)); v != "" {
			return v
		}
		return strings.TrimSpace(env("OTEL_EXPORTER_OTLP_" + name))
	}
	invalid := func(name, expected string) error {
		variable := own + name
		if strings.TrimSpace(env(variable)) == "" {
			variable = "OTEL_EXPORTER_OTLP_" + name
		}
		return fmt.Errorf("%s is %q, expected %s", variable, withoutPassword(setting(name)), expected)
	}
	if p := setting("PROTOCOL"); p != "" && p != "http/protobuf" {
		return nil, invalid("PROTOCOL", "http/protobuf; set it so, and the endpoint to the collector's port for HTTP, usually 4318")
	}
	compression := setting("COMPRESSION")
	if compression != "" && compression != "gzip" && compression != "none" {
		return nil, invalid("COMPRESSION", "gzip or none")
	}
	timeout, err := strconv.Atoi(cmp.Or(setting("TIMEOUT"), "10000"))
	if err != nil || timeout < 0 {
		return nil, invalid("TIMEOUT", "a number of milliseconds")
	}
	target, err := url.Parse(cmp.Or(setting("ENDPOINT"), "http://localhost:4318"))
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return nil, invalid("ENDPOINT", "http://… or https://…")
	}
	if env(own+"ENDPOINT") == "" { // which is complete
		target = target.JoinPath("v1", signal)
	}
	certificates, err := uploadTLS(setting)
	if err != nil {
		return nil, err
	}
	headers, err := uploadHeaders(env("OTEL_EXPORTER_OTLP_HEADERS"), env(own+"HEADERS"))
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: certificates, ForceAttemptHTTP2: true}
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.MaxInterval = 5*time.Second, 30*time.Second
	return &upload{
		client:  &http.Client{Transport: transport, Timeout: time.Duration(timeout) * time.Millisecond},
		url:     target.String(),
		headers: headers,
		gzip:    compression == "gzip",
		retry:   []backoff.RetryOption{backoff.WithBackOff(pause), backoff.WithMaxElapsedTime(uploadFor)},
	}, nil
}

// withoutPassword hides what a URL of any form may have before its host and after its path.
func withoutPassword(address string) string {
	address, _, _ = strings.Cut(address, "?")
	if i := strings.LastIndexByte(address, '@'); i >= 0 {
		return "…" + address[i:]
	}
	return address
}

// uploadHeaders returns the headers of lists such as "name=value,other=value", whose values are
// URL-encoded. Later lists win. The error has no values: they are often secrets.
func uploadHeaders(lists ...string) (map[string]string, error) {
	headers := map[string]string{}
	for _, list := range lists {
		for header := range strings.SplitSeq(list, ",") {
			if strings.TrimSpace(header) == "" {
				continue
			}
			name, text, found := strings.Cut(header, "=")
			value, err := url.PathUnescape(strings.TrimSpace(text))
			if name = strings.TrimSpace(name); !found || err != nil || !isToken(name) || strings.ContainsFunc(value, unicode.IsControl) {
				return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_HEADERS, or that of one signal: header %d is none, expected name=value, with the value URL-encoded", len(headers)+1)
			}
			headers[name] = value
		}
	}
	return headers, nil
}

// isToken reports whether a text may be the name of a header: RFC 9110, section 5.6.2.
func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", r)
	})
}

// uploadTLS returns the certificates that the variables name; nil when they name none.
func uploadTLS(setting func(string) string) (*tls.Config, error) {
	ca, cert, key := setting("CERTIFICATE"), setting("CLIENT_CERTIFICATE"), setting("CLIENT_KEY")
	if ca == "" && cert == "" {
		return nil, nil //nolint:nilnil // no configuration is the default one
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %s has no certificate in PEM format", ca)
		}
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// Start does nothing: a connection is made by the first batch.
func (u *upload) Start(context.Context) error { return nil }

// Stop closes connections that are not in use.
func (u *upload) Stop(context.Context) error {
	u.client.CloseIdleConnections()
	return nil
}

// UploadTraces sends one batch, see send.
func (u *upload) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans}) // has the bytes of an ExportTraceServiceRequest
	if err != nil {
		return err
	}
	return u.send(ctx, body, "spans")
}

// send sends one batch. It repeats it for a minute at most while the collector is busy or cannot
// be reached. The error is also one about what the collector has rejected.
func (u *upload) send(ctx context.Context, body []byte, what string) error {
	if u.gzip {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(body); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		body = packed.Bytes()
	}
	answer, err := backoff.Retry(ctx, func() ([]byte, error) { return u.post(ctx, body) }, u.retry...)
	if err != nil {
		return err
	}
	return rejected(answer, what)
}

// post sends a body once and returns the body of the answer. An error that is not
// backoff.Permanent is worth another attempt.
func (u *upload) post(ctx context.Context, body []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.url, bytes.NewReader(body))
	if err != nil {
		return nil, backoff.Permanent(err)
	}
	for name, value := range u.headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	if u.gzip {
		r.Header.Set("Content-Encoding", "gzip")
	}
	resp, err := u.client.Do(r)
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = failed.Err // without the URL, which may hold a key
	}
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		answer = nil // the status counts
	}
	switch {
	case resp.StatusCode < 300:
		return answer, nil
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode >= 502 && resp.StatusCode <= 504:
		return nil, busy(resp)
	}
	return nil, backoff.Permanent(fmt.Errorf("the collector answered %s", resp.Status))
}

// busy is the error of an answer after which the batch may be sent again, at the time that the
// collector names: in seconds or as a date. A batch does not wait longer than uploadFor.
func busy(resp *http.Response) error {
	err := fmt.Errorf("the collector answered %s", resp.Status)
	after := resp.Header.Get("Retry-After")
	seconds, failed := strconv.Atoi(after)
	if at, invalid := http.ParseTime(after); invalid == nil {
		seconds, failed = max(0, int(time.Until(at)/time.Second)), nil
	}
	switch {
	case failed != nil && !errors.Is(failed, strconv.ErrRange) || seconds < 0:
		return err
	case seconds > int(uploadFor/time.Second):
		return backoff.Permanent(fmt.Errorf("%w and asked for a longer pause than %v", err, uploadFor))
	}
	return fmt.Errorf("%w: %w", err, backoff.RetryAfter(seconds))
}

// rejected is the error of an ExportTraceServiceResponse, or of that of logs, that reports a partial
// success: field 1, with the number of rejected spans in field 1 and a message in field 2.
func rejected(answer []byte, what string) error {
	partial, _ := fieldsOf(answer, 1, 0)
	text, count := fieldsOf(partial, 2, 1)
	if len(text) == 0 && count == 0 {
		return nil
	}
	return fmt.Errorf("the collector rejected %d %s: %s", count, what, wording.Truncate(wording.OneLine(string(text)), maxReason))
}

// fieldsOf returns the bytes of one field of a protobuf message and the number in another.
func fieldsOf(message []byte, text, number protowire.Number) (found []byte, n uint64) {
	for len(message) > 0 {
		field, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return found, n
		}
		message = message[size:]
		switch size = protowire.ConsumeFieldValue(field, kind, message); {
		case size < 0:
			return found, n
		case field == text && kind == protowire.BytesType:
			found, _ = protowire.ConsumeBytes(message)
		case field == number && kind == protowire.VarintType:
			n, _ = protowire.ConsumeVarint(message)
		}
		message = message[size:]
	}
	return found, n
}
