package observe

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cenkalti/backoff/v5"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

var batch = []*tracepb.ResourceSpans{{SchemaUrl: "a batch"}}

// A batch reaches the collector with its headers, compressed, after a busy answer; an
// answer that rejects spans is an error.
func TestUpload(t *testing.T) {
	attempts := 0
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if attempts++; attempts == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		body, err := io.ReadAll(unpacked)
		var got tracepb.TracesData
		if err != nil || proto.Unmarshal(body, &got) != nil || len(got.ResourceSpans) != 1 || got.ResourceSpans[0].SchemaUrl != "a batch" {
			t.Errorf("the body is %q, %v", body, err)
		}
		if r.URL.Path != "/base/v1/traces" || r.Header.Get("X-Key") != "a b" || r.Header.Get("X-More") != "2" || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("%s with %v", r.URL, r.Header)
		}
		partial := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 3)
		partial = protowire.AppendString(protowire.AppendTag(partial, 2, protowire.BytesType), "too old")
		_, _ = w.Write(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), partial))
	}))
	defer collector.Close()
	u := newTestUpload(t, map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL + "/base", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
		"OTEL_EXPORTER_OTLP_HEADERS": "X-Key=a%20b,X-More=1", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "X-More=2", "OTEL_EXPORTER_OTLP_TIMEOUT": "60000",
	})
	if err := u.UploadTraces(t.Context(), batch); err == nil || err.Error() != "the collector rejected 3 spans: too old" || attempts != 2 {
		t.Errorf("%v after %d attempts", err, attempts)
	}
}

// A refusal is not repeated.
func TestUploadRefused(t *testing.T) {
	attempts := 0
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		attempts++
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer collector.Close()
	u := newTestUpload(t, map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": collector.URL})
	if err := u.UploadTraces(t.Context(), batch); err == nil || !strings.Contains(err.Error(), "401") || attempts != 1 {
		t.Errorf("%v after %d attempts", err, attempts)
	}
}

func TestUploadSettings(t *testing.T) {
	for settings, expected := range map[string]string{
		"":                             "http://localhost:4318/v1/traces",
		"ENDPOINT=https://c:1":         "https://c:1/v1/traces",
		"TRACES_ENDPOINT=http://c/own": "http://c/own",
		"ENDPOINT=c:1":                 `OTEL_EXPORTER_OTLP_ENDPOINT is "c:1", expected http://… or https://…`,
		"PROTOCOL=grpc":                `OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", expected http/protobuf; set it so, and the endpoint to the collector's port for HTTP, usually 4318`,
		"COMPRESSION=zip":              `OTEL_EXPORTER_OTLP_COMPRESSION is "zip", expected gzip or none`,
		"TIMEOUT=1s":                   `OTEL_EXPORTER_OTLP_TIMEOUT is "1s", expected a number of milliseconds`,
		"CERTIFICATE=/none":            "OTEL_EXPORTER_OTLP_CERTIFICATE: open /none: no such file or directory",
		"CLIENT_CERTIFICATE=/none":     "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: open /none: no such file or directory",
	} {
		name, text, _ := strings.Cut(settings, "=")
		u, err := newUpload(func(variable string) string {
			if variable == "OTEL_EXPORTER_OTLP_"+name {
				return text
			}
			return ""
		}, "traces")
		got := fmt.Sprint(err)
		if err == nil {
			got = u.url
		}
		if got != expected {
			t.Errorf("%q gives %s, expected %s", settings, got, expected)
		}
	}
}

func newTestUpload(t *testing.T, env map[string]string) *upload {
	t.Helper()
	u, err := newUpload(func(name string) string { return env[name] }, "traces")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A busy collector names the time of the next attempt. A batch does not wait for longer than a
// minute for it, whatever the collector says.
func TestUploadWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for after, expected := range map[string]struct {
			attempts int
			err      string
		}{
			"7":                          {2, "<nil>"},
			"-7":                         {2, "<nil>"},
			"soon":                       {2, "<nil>"},
			"61":                         {1, "the collector answered 429 Too Many Requests and asked for a longer pause than 1m0s"},
			"99999999999999999999999999": {1, "the collector answered 429 Too Many Requests and asked for a longer pause than 1m0s"},
			time.Now().Add(20 * time.Second).UTC().Format(http.TimeFormat): {2, "<nil>"},
			time.Now().Add(20 * time.Hour).UTC().Format(http.TimeFormat):   {1, "the collector answered 429 Too Many Requests and asked for a longer pause than 1m0s"},
			time.Now().Add(-2 * time.Hour).UTC().Format(http.TimeFormat):   {2, "<nil>"},
		} {
			u := newTestUpload(t, nil)
			attempts := 0
			u.client.Transport = transport(func(*http.Request) (*http.Response, error) {
				if attempts++; attempts == 1 {
					return &http.Response{Status: "429 Too Many Requests", StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {after}}, Body: http.NoBody}, nil
				}
				return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
			})
			if err := u.UploadTraces(t.Context(), batch); fmt.Sprint(err) != expected.err || attempts != expected.attempts {
				t.Errorf("after %q: %v, %d attempts", after, err, attempts)
			}
		}
	})
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The address of a collector may hold a key, and its answer anything of any length.
func TestUploadErrorsAreShort(t *testing.T) {
	u := newTestUpload(t, map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://me:hunter2@127.0.0.1:1/?key=hunter2"})
	u.retry = append(u.retry, backoff.WithMaxTries(1))
	if err := u.UploadTraces(t.Context(), batch); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Error(err)
	}
	_, err := newUpload(func(string) string { return "me:hunter2@host?hunter2" }, "traces")
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Error(err)
	}
	long := protowire.AppendString(protowire.AppendTag(nil, 2, protowire.BytesType), strings.Repeat("too old\n", 1<<20))
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), long[:maxAnswer/2]))
		_, _ = w.Write(make([]byte, 8<<20))
	}))
	defer collector.Close()
	u = newTestUpload(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL})
	if err := u.UploadTraces(t.Context(), batch); err != nil && len(err.Error()) > 300 {
		t.Errorf("%d bytes: %v", len(err.Error()), err)
	}
	partial := protowire.AppendString(protowire.AppendTag(nil, 2, protowire.BytesType), strings.Repeat("too old\n", 1<<10))
	if err := rejected(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), partial), "spans"); len(err.Error()) > 300 || strings.Contains(err.Error(), "\n") {
		t.Errorf("%d bytes: %v", len(err.Error()), err)
	}
}
