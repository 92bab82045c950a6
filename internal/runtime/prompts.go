package runtime

import (
	"context"
	"errors"
	"fmt"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/server"
)

// promptRun makes the runs of a tool as a prompt, whose arguments are texts.
func promptRun(run server.Run, tool *config.Tool) server.Run {
	return func(ctx context.Context, args value.Value, watch server.Watch) (server.Answer, error) {
		args, err := fromTexts(tool, args)
		if err != nil {
			return server.Answer{}, &server.RefusedError{Reason: err.Error()}
		}
		answer, err := run(through(ctx, func(d *door) { d.prompt = true }), args, watch)
		var invalid *execution.ArgumentsError
		var step *execution.StepError
		if errors.As(err, &invalid) && !errors.As(err, &step) {
			err = &server.RefusedError{Reason: err.Error()}
		}
		return answer, err
	}
}

// fromTexts returns the arguments of a prompt as its inputSchema has them, as those of a command line are read.
func fromTexts(tool *config.Tool, args value.Value) (value.Value, error) {
	object, _ := args.(value.Object)
	if object == nil {
		return args, nil
	}
	properties := tool.InputSchema.Get("properties")
	keys := object.Keys()
	values := make([]value.Value, len(keys))
	for i, key := range keys {
		given, _ := object.Get(key)
		text, isText := given.(string)
		if !isText {
			return nil, fmt.Errorf("invalid arguments: %s is no text, and the arguments of prompts are texts", wording.Quote(key))
		}
		values[i] = project.FromText(properties.Get(key), text)
	}
	return value.NewObject(keys, values), nil
}
