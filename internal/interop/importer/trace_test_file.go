package importer

import (
	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/graphtest"
)

// longestExpected is the length, as JSON, of a result that a test expects.
const longestExpected = 64 << 10

// test returns a test file that repeats the trace, and its cassette with the answers of the trace.
func (w *traceWriter) test() (test, cassette []byte, err error) {
	const name = "as in the trace"
	run := graphtest.RecordedRun{Test: name, Tool: w.tool}
	path := config.NewList(config.NewText("entry"))
	for _, c := range w.calls {
		recorded := graphtest.Recorded{
			Node: w.ids[c], Server: c.server, Tool: c.tool, Args: value.JSON{Value: w.secrets.without(c.args)},
		}
		recorded.Result.Value, recorded.Nothing = w.secrets.without(c.result), c.result == nil
		run.Calls = append(run.Calls, recorded)
		path.Items = append(path.Items, config.NewText(w.ids[c]))
	}
	if cassette, err = graphtest.NewCassette(run).Encode(); err != nil {
		return nil, nil, err
	}
	args := config.NewObject()
	for _, in := range w.inputs {
		args.Set(in.name, dataOf(w.secrets.without(in.value)))
	}
	path.Items = append(path.Items, config.NewText("exit"))
	expect := config.NewObject()
	if last := w.calls[len(w.calls)-1].result; value.Size(last) <= longestExpected && longestKey(last) <= maxKey {
		expect.Set("value", dataOf(w.secrets.without(last)))
	}
	expect.Set("path", path)
	root := config.NewObject().Set("tests", config.NewList(config.NewObject().
		Set("name", name).Set("tool", w.tool).Set("args", args).Set("expect", expect)))
	test, err = config.Format("the test", root, nil)
	return test, cassette, err
}
