package pipeline

import (
	_ "embed"
	"fmt"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

//go:embed definition.json
var schemas []byte

// description is how an agent learns to use the tool; its arguments are an example of a tool and
// what the tools of steps are.
const description = `Make several calls in one request, when later calls need results of earlier ones and nothing has to be decided in between. ` +
	`Steps run one after the other. Strings in args may hold {{id.path}}, which refers to the result of an earlier step, for example:
{"steps": [{"id": "first", "tool": %[1]s, "args": {}}, {"id": "second", "tool": %[1]s, "args": {"text": "see {{first.items[0].name}}"}}]}
Tools for steps: %[2]s. At most %[3]d steps. ` +
	`The first step that fails ends the pipeline, unless it has continue_on_error; calls that were made before are not undone. ` +
	`The result has the status, result or error of each step, and all results by name.`

// shownTools is how many tools the description names; more are in inputSchema.
const shownTools = 30

// newDefinition returns the tool as clients see it, without nodes.
func newDefinition(p *config.Pipeline, tools []string) (*config.Tool, error) {
	data, err := config.ParseData("pipeline", schemas)
	if err != nil {
		return nil, fmt.Errorf("the schemas of the pipeline are invalid: %w", err)
	}
	input := data.Get("inputSchema")
	steps := input.At("properties", "steps")
	set(steps, "maxItems", &config.Data{Scalar: float64(p.MaxSteps)})
	tool := steps.At("items", "properties", "tool")
	all := tools
	for _, call := range p.Calls {
		all = append(all, call.Value)
	}
	if len(p.Calls) == 0 && len(tools) > 0 { // with calls, a tool also has its bare name
		names := &config.Data{Kind: config.KindArray}
		for _, name := range tools {
			names.Items = append(names.Items, textData(name))
		}
		set(tool, "enum", names)
	} else {
		set(tool, "description", textData("A tool of this server by its name, or a tool of an upstream server as server.tool: "+listTools(all)+"."))
	}
	example := `"NAME"`
	if len(tools) > 0 {
		example = wording.Quote(tools[0])
	}
	def := &config.Tool{
		Pos: p.Pos, Name: p.Name, Title: config.Text{Value: "Pipeline"}, Result: config.JSONResult,
		Description: config.Text{Value: fmt.Sprintf(description, example, listTools(all), p.MaxSteps)},
		InputSchema: input, OutputSchema: data.Get("outputSchema"),
	}
	return def, nil
}

func listTools(names []string) string {
	if len(names) > shownTools {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shownTools], ", "), len(names)-shownTools)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// set gives an object one more member.
func set(object *config.Data, key string, v *config.Data) {
	object.Keys, object.Items = append(object.Keys, config.Text{Value: key}), append(object.Items, v)
}

func textData(text string) *config.Data {
	return &config.Data{Scalar: text, Text: config.Text{Value: text}}
}
