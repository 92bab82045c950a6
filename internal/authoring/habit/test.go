package habit

import (
	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/graphtest"
)

// longestExpected is the length, as JSON, of a result that a test expects.
const longestExpected = 64 << 10

// Test returns a test file that does a job with a tool again, and its cassette with the recorded answers, both without
// secrets. Where the draft has a TODO, the test passes once it is done.
func (d *Draft) Test(job int, tool, name string) (test, cassette []byte, err error) {
	run := graphtest.RecordedRun{Test: name, Tool: tool}
	for _, c := range d.runs[job].made {
		c.Args.Value = d.Secrets.Without(c.Args.Value)
		c.Result.Value = d.Secrets.Without(c.Result.Value)
		run.Calls = append(run.Calls, c)
	}
	if cassette, err = graphtest.NewCassette(run).Encode(); err != nil {
		return nil, nil, err
	}
	one := config.NewObject().Set("name", name).Set("tool", tool).Set("args", DataOf(d.Secrets.Without(d.Args[job])))
	if v := d.Secrets.Without(d.runs[job].value); v != nil && value.Size(v) <= longestExpected && LongestKey(v) <= MaxKey {
		one.Set("expect", config.NewObject().Set("value", DataOf(v)))
	}
	test, err = config.Format("the test", config.NewObject().Set("tests", config.NewList(one)), nil)
	return test, cassette, err
}

// MaxKey is the length of a key in bytes up to which YAML parsers read one.
const MaxKey = 1000

// LongestKey returns the length of the longest key in a value, in bytes; more than MaxKey for one that is nested too deep.
func LongestKey(v value.Value) int { return longestKey(v, 0) }

func longestKey(v value.Value, depth int) int {
	longest := 0
	if depth > deepest {
		return MaxKey + 1
	}
	if list, isList := v.([]any); isList {
		for _, item := range list {
			longest = max(longest, longestKey(item, depth+1))
		}
	}
	if object, isObject := value.ObjectOf(v); isObject {
		for _, key := range object.Keys() {
			part, _ := object.Get(key)
			longest = max(longest, len(key), longestKey(part, depth+1))
		}
	}
	return longest
}
