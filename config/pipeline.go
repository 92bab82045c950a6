package config

// Pipeline is the tool with which a client makes several calls in one request.
type Pipeline struct {
	Pos      Pos    // of the key; invalid when a flag has added it
	Name     Text   // default DefaultPipeline
	Tools    []Text // the tools of this file that steps may call; nil when missing: all that clients see
	Calls    []Text // the tools of servers that steps may call, as in Allow.Calls; nil when missing: none
	MaxSteps int    // default DefaultPipelineSteps, at most MostPipelineSteps
}

// NewPipeline returns what pipeline: true means.
func NewPipeline() *Pipeline {
	return &Pipeline{Name: Text{Value: DefaultPipeline}, MaxSteps: DefaultPipelineSteps}
}

// The defaults and limits of a Pipeline.
const (
	DefaultPipeline      = "pipeline"
	DefaultPipelineSteps = 20
	MostPipelineSteps    = 100
)

var pipelineForm = lazyForm(func() *form {
	return &form{
		name: "pipeline", doc: "A tool with which a client makes several calls in one request: the results of earlier steps can be arguments of later ones.",
		keys: []key{
			{name: "name", doc: "The name of the tool.", value: value{"type": "string", "default": DefaultPipeline, "examples": []any{"mcp_pipeline"}}},
			{name: "tools", doc: "The tools of this file that steps may call; default: all that clients see.", value: listOf(textValue())},
			{name: "calls", doc: "The tools of servers that steps may call, as server.tool; with a * at the end, whatever follows; default: none.", value: listOf(textValue("files.read_text_file", "files.*"))},
			{name: "maxSteps", doc: "The largest number of steps in a request.", value: wholeNumber(DefaultPipelineSteps, MostPipelineSteps), badRange: true},
		},
	}
})

var pipelineKey = key{
	name: "pipeline", common: true, doc: "Lists one more tool, with which a client makes several calls in one request; true uses the defaults.",
	value: value{"anyOf": []any{value{"type": "boolean"}, formValue("pipeline")}},
}

// pipeline decodes the pipeline of the file; nil when it has none, and the option adds none.
func (d *decoder) pipeline(file *fields) *Pipeline {
	p := NewPipeline()
	it := file.get("pipeline")
	if it == nil {
		if d.pipelined {
			return p
		}
		return nil
	}
	p.Pos = file.keyPos("pipeline")
	if it.kind != itemMapping {
		if file.switched("pipeline") || d.pipelined {
			return p
		}
		return nil
	}
	fs := d.open(it, pipelineForm(), "pipeline")
	p.Tools, p.Calls, p.MaxSteps = fs.texts("tools"), fs.texts("calls"), fs.integer("maxSteps")
	if fs.get("name") != nil {
		p.Name = fs.text("name")
		fs.require("name", p.Name)
	}
	return p
}

// switched returns the value of a key that is true, false or a mapping, when it is no mapping.
func (fs *fields) switched(name string) bool {
	it := fs.get(name)
	if it.kind == itemScalar {
		if b, ok := it.value().(bool); ok {
			return b
		}
	}
	fs.wrong(name, "true or a mapping", "write "+name+": true")
	return false
}
