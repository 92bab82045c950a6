package observe

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	"google.golang.org/protobuf/proto"
)

func testLogs(t *testing.T, url string, warnings io.Writer) *Logs {
	t.Helper()
	u, err := newUpload(func(name string) string {
		if name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
			return url
		}
		return ""
	}, "logs")
	if err != nil {
		t.Fatal(err)
	}
	return newLogs(t.Context(), u, nil, slog.New(slog.NewTextHandler(warnings, nil)))
}

// Records reach the collector in the order in which they were sent, the last ones when the logs
// are closed.
func TestLogs(t *testing.T) {
	var events []string
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var got logspb.LogsData
		if err != nil || proto.Unmarshal(body, &got) != nil || r.URL.Path != "/v1/logs" {
			t.Errorf("%s has %q, %v", r.URL, body, err)
			return
		}
		for _, record := range got.ResourceLogs[0].ScopeLogs[0].LogRecords {
			events = append(events, record.EventName+" "+record.SeverityText+" "+record.Body.GetStringValue()+" "+record.Attributes[0].Value.GetStringValue())
		}
	}))
	defer collector.Close()
	var warnings bytes.Buffer
	l := testLogs(t, collector.URL, &warnings)
	for range logBatch {
		l.Send(LogRecord{Time: time.Now(), Event: "a", Body: "b", Attributes: map[string]string{"k": "v"}})
	}
	l.Send(LogRecord{Time: time.Now(), Event: "last", Body: "b", IsWarning: true, Attributes: map[string]string{"k": "v"}})
	l.Close(t.Context())
	l.Send(LogRecord{Event: "late"})
	if len(events) != logBatch+1 || events[0] != "a INFO b v" || events[logBatch] != "last WARN b v" || warnings.Len() > 0 {
		t.Errorf("%d records came: %v; %s", len(events), events, &warnings)
	}
}

// A collector that does not answer blocks nothing: more records are dropped, with a warning.
func TestLogsAreDropped(t *testing.T) {
	gate, asked := make(chan struct{}), atomic.Int64{}
	first := make(chan struct{})
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if asked.Add(1) == 1 {
			close(first)
		}
		<-gate
	}))
	defer collector.Close()
	var warnings bytes.Buffer
	l := testLogs(t, collector.URL, &warnings)
	for range logBatch {
		l.Send(LogRecord{})
	}
	<-first
	for range logQueue + 7 {
		l.Send(LogRecord{})
	}
	close(gate)
	l.Close(t.Context())
	if !strings.Contains(warnings.String(), "log records were dropped") || !strings.Contains(warnings.String(), "records=7") {
		t.Errorf("%s", &warnings)
	}
}

// Close does not wait longer than it may for a collector that does not answer.
func TestLogsAreClosed(t *testing.T) {
	gate := make(chan struct{})
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-gate:
		case <-r.Context().Done():
		}
	}))
	defer collector.Close()
	defer close(gate)
	var warnings bytes.Buffer
	l := testLogs(t, collector.URL, &warnings)
	l.Send(LogRecord{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l.Close(ctx)
	if !strings.Contains(warnings.String(), "log records could not be sent") {
		t.Errorf("%s", &warnings)
	}
}
