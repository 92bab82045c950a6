package mcpclient

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// doubling is a schema of which each part wants the next one twice.
func doubling(n int, refer string) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{%s},`, i, strings.ReplaceAll(refer, "NEXT", fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)))
	}
	fmt.Fprintf(&b, `"d%d":{"maxProperties":9}}}`, n)
	return b.String()
}

// A validation by such a schema comes to an end.
func TestSchemasThatDouble(t *testing.T) {
	for _, refer := range []string{`"allOf":[NEXT,NEXT]`, `"anyOf":[NEXT,{"not":NEXT}]`, `"if":NEXT,"then":NEXT,"else":NEXT`} {
		w, p := strict(t, nil)
		w.offer(`{"tools":[{"name":"echo","inputSchema":` + doubling(60, refer) + `}]}`)
		if _, err := callTool(p, "echo", `{"n":1}`); err != nil {
			t.Errorf("%s: %v", refer, err)
		}
	}
}

// A tool with two references back to itself, called with an argument 40 levels deep.
func TestV02RecursiveSchema(t *testing.T) {
	w, p := strict(t, nil)
	w.offer(`{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"child":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}}]}`)
	deep := func(leaf string) string { return strings.Repeat(`{"child":`, 40) + leaf + strings.Repeat("}", 40) }
	if _, err := callTool(p, "echo", deep("{}")); err != nil {
		t.Error(err)
	}
	e := mustFail(t, p, "echo", deep(`"x"`), CodeInvalidArguments)
	if !strings.Contains(e.Error(), `.child: expected an object, got the string "x"`) {
		t.Errorf("got %v", e)
	}
}

// A validation that does not come to an end is given up, at the latest with the call.
func TestV02Budget(t *testing.T) {
	w, p := strict(t, nil)
	w.offer(`{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"child":{"allOf":[{"$dynamicRef":"#"},{"$dynamicRef":"#"}]}}}}]}`)
	deep := strings.Repeat(`{"child":`, 40) + "{}" + strings.Repeat("}", 40)
	e := mustFail(t, p, "echo", deep, CodeBadSchema)
	if !strings.Contains(e.Error(), `server "fake", tool "echo"`) || !strings.Contains(e.Error(), "inputSchema") || !strings.Contains(e.Error(), "steps; simplify the schema") {
		t.Errorf("got %v", e)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := callWith(ctx, p, "echo", deep); err == nil {
		t.Error("a call that was cancelled succeeded")
	}
	if n := w.asked("tools/call"); n != 0 {
		t.Errorf("the server was called %d times", n)
	}
}

// Tools whose schemas are too large cannot be called; the others can.
func TestV03LargeSchemas(t *testing.T) {
	many := func(n int, each string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strings.ReplaceAll(each, "N", fmt.Sprint(i)))
		}
		return b.String()
	}
	w, p := strict(t, nil, newMovedTime().clock(nil)) // one list is enough in one moment
	w.offer(`{"tools":[` +
		`{"name":"patterns","inputSchema":{"type":"object","patternProperties":{` + many(40, `"(a{1000})(bN{1000})(c{1000})":{}`) + `}}},` +
		`{"name":"bytes","inputSchema":{"type":"object","properties":{` + many(600_000, `"pN":{}`) + `}}},` +
		`{"name":"objects","inputSchema":{"type":"object","properties":{` + many(12_000, `"pN":{}`) + `}}},` +
		`{"name":"references","inputSchema":{"type":"object","properties":{` + many(600, `"pN":{"$ref":"#/examples/N"}`) + `},"examples":[` + many(600, "{}") + `]}},` +
		`{"name":"echo","inputSchema":{"type":"object"}}]}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for tool, want := range map[string]string{
		"patterns": "compile to more than 50000 instructions", "bytes": "bytes, at most 1048576 are allowed",
		"objects": "objects, at most 10000 are allowed", "references": "600 references to parts",
	} {
		e := mustFail(t, p, tool, `{"aaa":1}`, CodeBadSchema)
		if !strings.Contains(e.Error(), `server "fake", tool "`+tool+`": not called`) || !strings.Contains(e.Error(), want) {
			t.Errorf("got %v", e)
		}
	}
	mustCall(t, p, "echo", `{"n":1}`, `{"name":"echo","arguments":{"n":1}}`)
	runtime.ReadMemStats(&after)
	allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
	t.Logf("%d MB allocated", allocated)
	if allocated > 400 {
		t.Errorf("%d MB were allocated", allocated)
	}
}
