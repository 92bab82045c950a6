package observe

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/proto"
)

// Logs sends log records over OTLP/HTTP in the background. Safe for concurrent use.
type Logs struct {
	upload   *upload
	resource *resourcepb.Resource
	failures warnings // of uploads
	losses   warnings // of records that did not fit into the queue
	queue    chan *logspb.LogRecord
	stop     context.CancelFunc // ends an upload in progress
	ended    chan struct{}

	mu      sync.Mutex // guards what follows
	closed  bool
	dropped int // records since the last warning
}

// LogRecord is what happened, without values.
type LogRecord struct {
	Time       time.Time
	Event      string // the kind, as in toolgraph.audit.call
	Body       string
	IsWarning  bool
	Attributes map[string]string
}

// Bounds of the records that wait for the collector.
const (
	logQueue = 2048
	logBatch = 512
	logDelay = time.Second // of a batch that is not full
)

// NewLogs returns logs whose destination OpenTelemetry's own environment variables configure; nil
// when these disable them. Records that cannot be sent are dropped with a warning in log, one a
// minute at most.
func NewLogs(ctx context.Context, version string, log *slog.Logger) (*Logs, error) {
	if sent, err := isSent(os.Getenv, "logs"); err != nil || !sent {
		return nil, err
	}
	client, err := newUpload(os.Getenv, "logs")
	if err != nil {
		return nil, err
	}
	described, err := describe(ctx, version)
	if err != nil {
		return nil, err
	}
	about := &resourcepb.Resource{Attributes: attributesOf(*described.Set())}
	return newLogs(ctx, client, about, log), nil
}

func newLogs(ctx context.Context, client *upload, about *resourcepb.Resource, log *slog.Logger) *Logs {
	l := &Logs{upload: client, resource: about, failures: warnings{log: log}, losses: warnings{log: log}, queue: make(chan *logspb.LogRecord, logQueue), ended: make(chan struct{})}
	ctx, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(l.ended)
		for l.batch(ctx) {
		}
	}()
	return l
}

func textAttribute(key, text string) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: textValue(text)}
}

func textValue(text string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: text}}
}

// Send queues a record. It never waits: when the queue is full, the record is dropped.
func (l *Logs) Send(r LogRecord) {
	at := uint64(r.Time.UnixNano())
	record := &logspb.LogRecord{
		TimeUnixNano: at, ObservedTimeUnixNano: at, EventName: r.Event, Body: textValue(r.Body),
		SeverityNumber: logspb.SeverityNumber_SEVERITY_NUMBER_INFO, SeverityText: "INFO",
	}
	if r.IsWarning {
		record.SeverityNumber, record.SeverityText = logspb.SeverityNumber_SEVERITY_NUMBER_WARN, "WARN"
	}
	for key, text := range r.Attributes {
		record.Attributes = append(record.Attributes, textAttribute(key, text))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	select {
	case l.queue <- record:
	default:
		l.dropped++
	}
}

// batch sends the next records, and reports whether more can come.
func (l *Logs) batch(ctx context.Context) bool {
	first, more := <-l.queue
	if !more {
		return false
	}
	records := []*logspb.LogRecord{first}
	full := time.NewTimer(logDelay)
	defer full.Stop()
	for more && len(records) < logBatch {
		var next *logspb.LogRecord
		select {
		case next, more = <-l.queue:
			if more {
				records = append(records, next)
			}
			continue
		case <-full.C:
		}
		break
	}
	l.warnOfLosses()
	body, err := proto.Marshal(&logspb.LogsData{ResourceLogs: []*logspb.ResourceLogs{{ // has the bytes of an ExportLogsServiceRequest
		Resource:  l.resource,
		ScopeLogs: []*logspb.ScopeLogs{{Scope: &commonpb.InstrumentationScope{Name: "toolgraph"}, LogRecords: records}},
	}}})
	if err == nil {
		err = l.upload.send(ctx, body, "log records")
	}
	if err != nil {
		l.failures.warn("log records could not be sent", "records", len(records), "error", err)
	}
	return more
}

func (l *Logs) warnOfLosses() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dropped > 0 && l.losses.warn("log records were dropped, because the collector is too slow", "records", l.dropped) {
		l.dropped = 0
	}
}

// Close sends the remaining records, until ctx ends.
func (l *Logs) Close(ctx context.Context) {
	l.mu.Lock()
	l.closed = true
	close(l.queue)
	l.mu.Unlock()
	select {
	case <-l.ended:
	case <-ctx.Done():
	}
	l.stop()
	<-l.ended
	_ = l.upload.Stop(ctx) // never fails
}
