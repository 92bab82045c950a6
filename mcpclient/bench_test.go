package mcpclient

import (
	"context"
	"testing"

	"toolgraph/execution/call"
	"toolgraph/expressions/value"
)

func BenchmarkCall(b *testing.B) {
	for _, c := range []struct{ name, tool, args string }{
		{"small", "inc", `{"n":1}`},
		{"10MB text", "items", `{"n":10000,"size":1000}`},
		{"10MB structured", "structured", `{"n":10000,"size":1000}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := pool(b, fake(b))
			args, err := value.Decode([]byte(c.args))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := p.CallTool(context.Background(), call.Call{Server: "fake", Tool: c.tool, Args: args}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStart(b *testing.B) {
	u := fake(b)
	for b.Loop() {
		p := pool(b, u)
		if _, err := callTool(p, "inc", `{"n":1}`); err != nil {
			b.Fatal(err)
		}
		_ = p.Close()
	}
}
