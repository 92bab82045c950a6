package tests

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"toolgraph/tests/testbin"
)

// backend is a collector that reads what it gets.
type backend struct {
	*httptest.Server
	mu      sync.Mutex // guards what follows
	spans   []*tracepb.Span
	metrics map[string]*metricspb.Metric
	raw     strings.Builder
}

func newBackend(t *testing.T) *backend {
	t.Helper()
	b := &backend{metrics: map[string]*metricspb.Metric{}}
	b.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.raw.Write(body)
		var traces tracepb.TracesData
		var metrics metricspb.MetricsData
		switch {
		case err != nil:
		case r.URL.Path == "/v1/traces":
			err = proto.Unmarshal(body, &traces)
		default:
			err = proto.Unmarshal(body, &metrics)
		}
		if err != nil {
			t.Error(err)
		}
		for _, from := range traces.ResourceSpans {
			for _, scope := range from.ScopeSpans {
				b.spans = append(b.spans, scope.Spans...)
			}
		}
		for _, from := range metrics.ResourceMetrics {
			for _, scope := range from.ScopeMetrics {
				for _, m := range scope.Metrics {
					b.metrics[m.Name] = m
				}
			}
		}
	}))
	t.Cleanup(b.Close)
	return b
}

// shownAttributes is all attributes but some as text, sorted.
func shownAttributes(all []*commonpb.KeyValue, without ...string) string {
	var out []string
	for _, a := range all {
		v := a.Value.GetStringValue()
		if v == "" {
			v = fmt.Sprint(a.Value.GetIntValue())
		}
		if !slices.Contains(without, a.Key) {
			out = append(out, a.Key+"="+v)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// span returns the span of a trace with this name, and its attributes.
func (b *backend) span(t *testing.T, traceID, name string) (*tracepb.Span, string) {
	t.Helper()
	for _, s := range b.spans {
		if fmt.Sprintf("%x", s.TraceId) == traceID && s.Name == name {
			return s, shownAttributes(s.Attributes, "toolgraph.run.id", "toolgraph.graph.hash", "toolgraph.output.bytes", "client.port", "jsonrpc.request.id", "mcp.session.id")
		}
	}
	t.Errorf("no span %q of trace %s", name, traceID)
	return &tracepb.Span{}, ""
}

// tracedCall is a call in a trace of its own, by its number, whose arguments hold a value.
func tracedCall(n int, tool, meta string) (id, call string) {
	id = fmt.Sprintf("%032x", n)
	return id, fmt.Sprintf(`{"name":%q,"arguments":{"id":424242},"_meta":{%s"traceparent":"00-%s-b7ad6b7169203331-01"}}`, tool, meta, id)
}

const tracedMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{},`

const brokenToo = mirror + `- name: broken
  description: fails with the value that it got
  inputSchema: {type: object, properties: {id: {type: integer}}, required: [id]}
  nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: up, tool: fail, args: {message: {expr: '"value " & $.entry.id'}}, next: exit}
  - {id: exit, type: exit}
`

// Requests of clients, nodes and calls are spans and metrics by the conventions, over stdio and HTTP,
// in both eras; no value leaves in them.
func TestTelemetryOfARunningServer(t *testing.T) {
	b := newBackend(t)
	env := []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + b.URL}
	f := newGraphFile(t, brokenToo)
	s := startCommand(t, env, "serve", "-g", f.path, "--otel", "--no-history")
	s.handshake()
	legacy, call := tracedCall(1, "mirror", "")
	s.result(s.request("tools/call", call))
	modern, call := tracedCall(2, "mirror", tracedMeta)
	s.result(s.request("tools/call", call))
	broken, call := tracedCall(3, "broken", "")
	s.result(s.request("tools/call", call))
	if code := s.end(); code != 0 {
		t.Fatalf("exit code %d: %s", code, s.stderr)
	}
	b.Close() // nothing comes any more
	for id, version := range map[string]string{legacy: "2025-11-25", modern: "2026-07-28"} {
		request, got := b.span(t, id, "tools/call mirror")
		if got != "gen_ai.operation.name=execute_tool gen_ai.tool.name=mirror mcp.method.name=tools/call mcp.protocol.version="+version+" network.transport=pipe" ||
			request.Kind != tracepb.Span_SPAN_KIND_SERVER || fmt.Sprintf("%x", request.ParentSpanId) != "b7ad6b7169203331" {
			t.Errorf("%v, %s", request, got)
		}
		upstream, got := b.span(t, id, "tools/call echo")
		if !strings.HasPrefix(got, "gen_ai.operation.name=execute_tool gen_ai.tool.name=echo mcp.method.name=tools/call mcp.protocol.version=") ||
			!strings.HasSuffix(got, "network.transport=pipe toolgraph.node.id=call toolgraph.node.type=mcp toolgraph.server=up toolgraph.step=2") ||
			upstream.Kind != tracepb.Span_SPAN_KIND_CLIENT || string(upstream.ParentSpanId) != string(request.SpanId) {
			t.Errorf("%v, %s", upstream, got)
		}
		if pick, _ := b.span(t, id, "pick"); pick.Kind != tracepb.Span_SPAN_KIND_INTERNAL || string(pick.ParentSpanId) != string(request.SpanId) {
			t.Errorf("%v", pick)
		}
	}
	for _, name := range []string{"tools/call broken", "tools/call fail"} {
		if failed, got := b.span(t, broken, name); !strings.Contains(got, "error.type=tool_error ") || failed.Status.GetCode() != tracepb.Status_STATUS_CODE_ERROR || failed.Status.Message != "tool" {
			t.Errorf("%v, %s", failed, got)
		}
	}
	b.wantHistogram(t, "mcp.server.operation.duration", "gen_ai.operation.name=execute_tool gen_ai.tool.name=mirror mcp.method.name=tools/call mcp.protocol.version=2025-11-25 network.transport=pipe")
	b.wantHistogram(t, "mcp.server.operation.duration", "error.type=tool_error gen_ai.operation.name=execute_tool gen_ai.tool.name=broken mcp.method.name=tools/call mcp.protocol.version=2025-11-25 network.transport=pipe")
	b.wantHistogram(t, "mcp.server.session.duration", "mcp.protocol.version=2025-11-25 network.transport=pipe")
	b.wantHistogram(t, "mcp.client.operation.duration", "error.type=tool_error gen_ai.operation.name=execute_tool gen_ai.tool.name=fail mcp.method.name=tools/call mcp.protocol.version=2025-06-18 network.transport=pipe toolgraph.server=up")
	b.wantHistogram(t, "mcp.client.operation.duration", "mcp.method.name=initialize network.transport=pipe toolgraph.server=up")
	b.wantHistogram(t, "mcp.client.session.duration", "mcp.protocol.version=2025-06-18 network.transport=pipe toolgraph.server=up")
	if runs := b.metrics["toolgraph_runs_total"]; len(runs.GetSum().GetDataPoints()) != 2 {
		t.Errorf("%v", runs)
	}
	if strings.Contains(b.raw.String(), "424242") {
		t.Error("a value was sent")
	}
}

// wantHistogram finds a point with these attributes, in the buckets of the conventions.
func (b *backend) wantHistogram(t *testing.T, name, attributes string) {
	t.Helper()
	m := b.metrics[name]
	var found []string
	for _, p := range m.GetHistogram().GetDataPoints() {
		found = append(found, shownAttributes(p.Attributes))
		if !slices.Equal(p.ExplicitBounds, []float64{.01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60, 120, 300}) || p.Count == 0 {
			t.Errorf("%s: %v", name, p)
		}
	}
	if m.GetUnit() != "s" || !slices.Contains(found, attributes) {
		t.Errorf("%s in %q with\n%s\nfound\n%s", name, m.GetUnit(), attributes, strings.Join(found, "\n"))
	}
}

func TestTelemetryOverHTTP(t *testing.T) {
	b := newBackend(t)
	s, addr := startHTTP(t, mirror, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + b.URL}, "--otel", "--metrics", "--no-history")
	const session = "a-session-of-424242"
	request := func(message string, headers ...string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/mcp?key=424242", strings.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	legacy, call := tracedCall(1, "mirror", "")
	request(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+call+`}`, "Mcp-Protocol-Version", "2025-11-25", "Mcp-Session-Id", session)
	modern, call := tracedCall(2, "mirror", tracedMeta)
	request(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":`+call+`}`, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "mirror")
	unknown, call := tracedCall(3, "tool-424242", "")
	request(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":` + call + `}`)
	request(`{"jsonrpc":"2.0","id":4,"method":"method-424242"}`)
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	s.end()
	b.Close()
	const web = " network.protocol.name=http network.protocol.version=1.1 network.transport=tcp"
	for id, version := range map[string]string{legacy: "2025-11-25", modern: "2026-07-28"} {
		span, got := b.span(t, id, "tools/call mirror")
		if got != "client.address=127.0.0.1 gen_ai.operation.name=execute_tool gen_ai.tool.name=mirror mcp.method.name=tools/call mcp.protocol.version="+version+web ||
			span.Kind != tracepb.Span_SPAN_KIND_SERVER || strings.Contains(fmt.Sprint(span.Attributes), "mcp.session.id") != (id == legacy) {
			t.Errorf("%v, %s", span, got)
		}
		b.wantHistogram(t, "mcp.server.operation.duration", "gen_ai.operation.name=execute_tool gen_ai.tool.name=mirror mcp.method.name=tools/call mcp.protocol.version="+version+web)
	}
	if _, got := b.span(t, unknown, "tools/call"); !strings.Contains(got, "error.type=-32602") || !strings.Contains(got, "rpc.response.status_code=-32602") {
		t.Errorf("the call of an unknown tool: %s", got)
	}
	b.wantHistogram(t, "mcp.server.operation.duration", "error.type=-32601 mcp.method.name=_OTHER"+web+" rpc.response.status_code=-32601")
	if strings.Contains(b.raw.String(), "424242") {
		t.Error("a value was sent")
	}
}

// A tool that is run from the command line is a trace of its own.
func TestTelemetryOfRun(t *testing.T) {
	b := newBackend(t)
	f := newGraphFile(t, mirror)
	cmd := exec.CommandContext(t.Context(), testbin.Build(t, "toolgraph"), "run", "-g", f.path, "mirror", "id=424242", "--otel", "--no-history")
	cmd.Env = append(os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT="+b.URL, "OTEL_METRICS_EXPORTER=none")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b.Close()
	var names []string
	for _, span := range b.spans {
		names = append(names, span.Name)
		if span.Name == "execute_tool mirror" && (span.Kind != tracepb.Span_SPAN_KIND_INTERNAL || len(span.ParentSpanId) > 0) {
			t.Errorf("%v", span)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names) // tools/list has pages
	if got := strings.Join(names, ", "); got != "entry, execute_tool mirror, exit, initialize, pick, tools/call echo, tools/call sleep, tools/list" {
		t.Errorf("the spans are %s", got)
	}
	if len(b.metrics) > 0 || strings.Contains(b.raw.String(), "424242") {
		t.Errorf("sent: %v, %q", b.metrics, b.raw.String())
	}
}
