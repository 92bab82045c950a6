package journal

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
)

// A secret is in none of the failures that an event has.
func TestFailuresOfPartsHaveNoSecrets(t *testing.T) {
	const secret = "hunter2-hunter2"
	bad := &execution.Failure{
		Code: execution.CodeTool, Message: "m " + secret, Detail: secret, Structured: []byte(`{"a":"` + secret + `"}`), Result: []byte(`["` + secret + `"]`),
		Callers: []execution.Caller{{Tool: "t", Node: "n", Item: `{"password":"` + secret + `"}`}, {Tool: "t", Node: "n", Item: `{"password":"` + secret + `…`}},
	}
	events := flown("SECRET")
	kinds := map[string]bool{}
	for i := range events {
		switch e := &events[i]; {
		case e.Retry != nil:
			e.Retry.Error, kinds["retry"] = bad, true
		case e.Record != nil && e.Record.Attempts != nil:
			e.Record.Attempts[0].Error, kinds["attempt"] = bad, true
		case e.Record != nil && e.Record.Handled != nil:
			e.Record.Handled, kinds["handled"] = bad, true
		}
	}
	if len(kinds) != 3 {
		t.Fatal(kinds)
	}
	s := inStore(t, events, secret)
	got, err := s.Load(t.Context(), "SECRET")
	if err != nil {
		t.Fatal(err)
	}
	text := asJSON(t, got)
	if strings.Contains(text, "hunter2") || strings.Count(text, "[redacted]") < 12 {
		t.Errorf("%s", text)
	}
	if !strings.Contains(bad.Callers[0].Item, secret) {
		t.Error("the failure in memory has changed, which the run still reads")
	}
}

// A field of a failure that is added later is recorded, and has no secret.
func TestFieldsOfFailuresHaveNoSecrets(t *testing.T) {
	const secret = "hunter2-hunter2"
	ofTheGraph := []string{"Code", "Node", "Pos", "Pos.File", "Tool", "Path", "At"} // names of the graph file
	var set func(name string, v reflect.Value)
	set = func(name string, v reflect.Value) {
		switch {
		case slices.Contains(ofTheGraph, name) || !v.CanSet():
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				set(v.Type().Field(i).Name, v.Field(i))
			}
		case v.Kind() == reflect.String && name != "Part":
			v.SetString("a " + secret + " b")
		case v.Kind() == reflect.String:
			v.SetString("3")
		case v.Kind() == reflect.Int:
			v.SetInt(3)
		case v.Type() == reflect.TypeFor[json.RawMessage]():
			v.SetBytes([]byte(`{"k":"` + secret + `"}`))
		case v.Kind() == reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			set(name, v.Index(0))
		default:
			t.Fatalf("no value of type %s is known here: add one", v.Type())
		}
	}
	var f execution.Failure
	set("", reflect.ValueOf(&f).Elem())
	got := asJSON(t, withoutSecrets(&f, config.NewSecrets(secret)))
	if want := strings.ReplaceAll(asJSON(t, &f), secret, "[redacted]"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Constants are recorded but for those with a secret, which a resumed run takes from its file.
func TestConstantsHaveNoSecrets(t *testing.T) {
	const secret = "hunter2-hunter2"
	events := flown("VARS")
	events[0].Start.Vars, _ = value.Decode([]byte(`{"list":["a",1],"login":{"password":"` + secret + `"},"top":20}`))
	got, err := inStore(t, events, secret).Load(t.Context(), "VARS")
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := value.Encode(got[0].Start.Vars); string(text) != `{"list":["a",1],"top":20}` {
		t.Errorf("recorded %s", text)
	}
	events[0].Start.Vars, _ = value.Decode([]byte(`{"token":"` + secret + `"}`))
	if got, err = inStore(t, events, secret).Load(t.Context(), "VARS"); err != nil || got[0].Start.Vars != nil {
		t.Errorf("recorded %v, %v", got[0].Start.Vars, err)
	}
}
