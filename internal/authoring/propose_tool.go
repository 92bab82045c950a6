package authoring

import (
	"context"
	"errors"
	"fmt"

	"toolgraph/config"
	"toolgraph/execution/journal"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/proposal"
)

// proposeTool adds a tool that does what a plan did.
func (r *request) proposeTool(ctx context.Context) (any, error) {
	if r.opts.Runs == nil {
		return nil, errors.New("runs are not recorded, so there is no plan to make a tool of")
	}
	run, err := r.opts.Runs.Run(ctx, r.Text("runId"))
	if err != nil {
		return nil, err
	}
	if run.Tool != config.RunPlan || run.Status != journal.Finished {
		return nil, fmt.Errorf("run %s is of the tool %q and its status is %s, expected a run of %s that has finished", run.ID, run.Tool, run.Status, config.RunPlan)
	}
	events, err := r.opts.Runs.Load(ctx, run.ID)
	if err != nil {
		return nil, err
	}
	plan := proposal.Plan{Request: events[0].Start.Args, Result: events[len(events)-1].End.Value}
	var arguments []proposal.Argument
	if given, isObject := value.ObjectOf(r.Get("arguments")); isObject {
		for _, name := range given.Keys() {
			path, _ := given.Get(name)
			text, isText := path.(string)
			if !isText {
				return nil, fmt.Errorf("arguments.%s is no text, expected the path of a literal, such as steps[0].args.path", name)
			}
			arguments = append(arguments, proposal.Argument{Name: name, Path: text})
		}
	}
	name := r.Text("name")
	made, err := proposal.New(plan, name, r.Text("description"), arguments)
	if err != nil {
		return nil, err
	}
	src, err := config.AddTool(r.path, r.src, made.Tool)
	return r.save(ctx, src, err, name, fmt.Sprintf("tool %q added to %s", name, r.path)+untilListed)
}

// untilListed says what has to happen before clients see a tool that was added.
const untilListed = "; clients see it when their server serves the file as it is now: at once with --watch, else after it is started again, and with --locked after toolgraph lock"
