package pipeline_test

import (
	"errors"
	"strings"
	"testing"

	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/serving/pipeline"
)

// returning runs a request with a return, and returns its result, or why it is refused.
func returning(t *testing.T, steps, source string) (string, error) {
	t.Helper()
	p := loaded(t, twoServers)
	g, args, err := p.Pipeline.Compile(t.Context(), parsed(t, `{"steps":`+steps+`,"return":`+source+`}`), nil)
	if err != nil {
		return "", err
	}
	again, _, err := p.Pipeline.Compile(t.Context(), args, nil) // as a recorded run is compiled
	if err != nil || again.Hash != g.Hash {
		t.Fatalf("%s: another graph, %v", source, err)
	}
	result, err := execution.New(&upstream{}).Run(t.Context(), g, args)
	v := result.Value
	if err != nil {
		v = result.Partial
	}
	text, failed := value.Encode(v)
	if failed != nil {
		t.Fatal(failed)
	}
	return string(text), err
}

const threeSteps = `[
	{"id":"a","tool":"s.give","args":{"value":{"files":[{"name":"x"},{"name":"y"}]}}},
	{"id":"b-1","tool":"greet","args":{"name":"{{a.files[1].name}}"},"save_as":"hello"},
	{"id":"c","tool":"greet","if":"a.missing","args":{"name":"z"}}]`

// return is a path or JSONata over the results by name; only that is the result.
func TestReturnIsTheResult(t *testing.T) {
	for source, want := range map[string]string{
		`"a"`:                   `{"files":[{"name":"x"},{"name":"y"}]}`,
		`"{{a.files[1].name}}"`: `{"result":"y"}`,
		`"hello"`:               `{"result":"hello y"}`,
		`"a.nothing"`:           `{"result":null}`,
		`"c"`:                   `{"result":null}`,
		`"{\"n\": $count(a.files), \"h\": hello}"`: `{"n":2,"h":"hello y"}`,
		`"[a.files.name]"`:                         `{"result":["x","y"]}`,
		`"$exists(c)"`:                             `{"result":false}`,
		`"{\"steps\": \"a text\"}"`:                `{"steps":"a text"}`,
	} {
		if got, err := returning(t, threeSteps, source); err != nil || got != want {
			t.Errorf("%s: %s, want %s, %v", source, got, want, err)
		}
	}
}

// What is wrong in it is known before a call; a pipeline that fails has the list of its steps.
func TestReturnIsCheckedFirst(t *testing.T) {
	for source, want := range map[string]string{
		`"helo & \"!\""`: `return: "helo" is the name of no result; did you mean "hello"?`,
		`"$count("`:      "the expression does not compile",
		`3`:              "arguments.return: expected a string",
	} {
		_, err := returning(t, threeSteps, source)
		var refused *pipeline.Refusal
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", source, err)
		}
	}
	got, err := returning(t, `[{"id":"a","tool":"s.fail"},{"id":"b","tool":"greet","args":{"name":"x"}}]`, `"b"`)
	if err == nil || !strings.Contains(got, `"aborted":true`) || !strings.Contains(got, `"status":"skipped"`) {
		t.Errorf("%s %v", got, err)
	}
	got, err = returning(t, `[{"id":"a","tool":"greet","args":{"name":"x"}}]`, `"$error(\"no\")"`)
	if err == nil || !strings.Contains(got, `"status":"success"`) || !strings.Contains(got, `"aborted":true`) {
		t.Errorf("%s %v", got, err)
	}
}
