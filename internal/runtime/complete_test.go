package runtime

import (
	"fmt"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// At most 100 values are sent, each once, with the number of all that begin with what is typed.
func TestCompletionsAreBounded(t *testing.T) {
	t.Parallel()
	var values []value.Value
	for i := range 150 {
		values = append(values, fmt.Sprint("v", i), fmt.Sprint("v", i), fmt.Sprint("w", i))
	}
	got := string(completion(values, "V"))
	if n := strings.Count(got, `"v`) - 1; n != mostCompleted || !strings.HasSuffix(got, `"v99"],"total":150,"hasMore":true}}`) {
		t.Errorf("%d values: %s", n, got)
	}
}

// The value that is being typed is no argument that was given before; others are as the tool gets them.
func TestArgumentsWithinAContext(t *testing.T) {
	t.Parallel()
	schema, err := config.ParseData("s", []byte(`{"properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	tool := &config.Tool{InputSchema: schema}
	for within, want := range map[string]string{
		`{"arguments":{"a":"1","b":"2","c":"3"}}`: `{"b":2,"c":"3"}`,
		`{}`: `{}`, ``: `{}`,
	} {
		raw := []byte(within)
		if within == "" {
			raw = nil
		}
		args, err := argumentsWithin(tool, "a", raw)
		if got, _ := value.Encode(args); err != nil || string(got) != want {
			t.Errorf("%s: %s %v", within, got, err)
		}
	}
	for _, wrong := range []string{`[]`, `{"arguments":[]}`, `{"arguments":{"b":2}}`, `{`} {
		if args, err := argumentsWithin(tool, "a", []byte(wrong)); err == nil {
			t.Errorf("%s: %v", wrong, args)
		}
	}
}
