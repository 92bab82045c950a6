package observe

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

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
		"PROTOCOL=grpc":                `OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", expected http/protobuf`,
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
