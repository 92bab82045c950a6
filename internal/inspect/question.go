package inspect

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"toolgraph/config"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
)

//go:embed tools.yaml
var definitions []byte

// Question is one of the things that can be asked, as an MCP tool defines it.
type Question struct {
	Def    *config.Tool
	answer func(context.Context, *Inspector, arguments) (any, error)
}

// runs is the question that has effects.
const runs = "run_tool"

// Questions are all that can be asked; without allowRun, runs are not among them.
func Questions(allowRun bool) ([]Question, error) {
	file, err := config.Parse("tools.yaml", definitions, config.Options{})
	if err != nil {
		return nil, err
	}
	var all []Question
	for _, def := range file.Tools {
		name := def.Name.Value
		answer := answers[name]
		if answer == nil {
			return nil, fmt.Errorf("question %q has a definition and no answer", name)
		}
		if name != runs || allowRun {
			all = append(all, Question{Def: def, answer: answer})
		}
	}
	return all, nil
}

// Ask answers. The arguments are an Object that fits the question's schema.
func (q Question) Ask(ctx context.Context, i *Inspector, args value.Value) (value.Value, error) {
	answer, err := q.answer(ctx, i, arguments{args.(value.Object)})
	if err != nil {
		return nil, err
	}
	return value.FromPlain(answer), nil
}

// answers are the answers by the questions' names.
var answers = map[string]func(context.Context, *Inspector, arguments) (any, error){
	"list_tools": func(ctx context.Context, i *Inspector, _ arguments) (any, error) { return i.ListTools(ctx) },
	"graph":      func(ctx context.Context, i *Inspector, a arguments) (any, error) { return i.Graph(ctx, a.text("tool")) },
	"explain_tool": func(ctx context.Context, i *Inspector, a arguments) (any, error) {
		return i.ExplainTool(ctx, a.text("tool"))
	},
	"metadata": func(ctx context.Context, i *Inspector, _ arguments) (any, error) { return i.Metadata(ctx) },
	"list_runs": func(ctx context.Context, i *Inspector, a arguments) (any, error) {
		f, err := a.filter()
		if err != nil {
			return nil, err
		}
		return i.ListRuns(ctx, f)
	},
	"read_run": func(ctx context.Context, i *Inspector, a arguments) (any, error) {
		q := RunQuery{Run: a.text("run"), From: a.number("from"), Limit: a.number("limit"), ValueBytes: a.number("valueBytes")}
		if _, asked := a.given.Get("context"); asked {
			step := a.number("context")
			q.Context = &step
		}
		return i.ReadRun(ctx, q)
	},
	"diff_inputs": func(ctx context.Context, i *Inspector, a arguments) (any, error) {
		return i.DiffRuns(ctx, a.text("a"), a.text("b"))
	},
	"doctor": func(ctx context.Context, i *Inspector, _ arguments) (any, error) { return i.Doctor(ctx) },
	runs: func(ctx context.Context, i *Inspector, a arguments) (any, error) {
		return i.RunTool(ctx, a.text("tool"), a.object("arguments"))
	},
}

// arguments are those of a question; the schemas have checked them.
type arguments struct{ given value.Object }

func (a arguments) text(key string) string {
	value, _ := a.given.Get(key)
	text, _ := value.(string)
	return text
}

func (a arguments) number(key string) int {
	value, _ := a.given.Get(key)
	n, _ := value.(float64)
	return int(n)
}

// object is an argument that is an object, empty when it is left out.
func (a arguments) object(key string) value.Value {
	if value, _ := a.given.Get(key); value != nil {
		return value
	}
	return value.NewObject(nil, nil)
}

// filter selects runs.
func (a arguments) filter() (journal.Filter, error) {
	f := journal.Filter{
		Tool: a.text("tool"), Status: journal.Status(a.text("status")), Text: a.text("text"),
		Before: a.text("before"), Limit: a.number("limit"),
	}
	for key, into := range map[string]*time.Time{"since": &f.Since, "until": &f.Until} {
		text := a.text(key)
		if text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return f, fmt.Errorf("%s is %q, expected a time such as 2026-01-31T15:04:05Z", key, text)
		}
		*into = at
	}
	return f, nil
}
