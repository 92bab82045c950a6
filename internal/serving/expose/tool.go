package expose

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"toolgraph/config"
	"toolgraph/graph"
	"toolgraph/internal/serving/callable"
	"toolgraph/internal/serving/server"
	"toolgraph/mcpclient"
)

// Exposed is a tool as clients get it, without what runs it.
type Exposed struct {
	Graph *graph.Graph
	Tool  server.Tool
	Typed bool // its server lists an outputSchema
}

// mostDefinition is how many bytes a part of a definition may have.
const mostDefinition = 1 << 20

// Tool returns an exposed tool as its server lists it, without secrets; nil, and why, for one that cannot be exposed. The
// error is the cause of ctx's end.
func (s *Set) Tool(ctx context.Context, from string, listed *mcpclient.Tool) (e *Exposed, why string, err error) {
	if !s.Permits(from, listed.Name) {
		return nil, "", nil
	}
	if problem, _, _ := s.problem(from, listed.Name); problem != "" {
		return nil, "left out: " + problem, nil
	}
	if n := max(len(listed.InputSchema), len(listed.OutputSchema), len(listed.Annotations), len(listed.Description)); n > mostDefinition {
		return nil, fmt.Sprintf("left out: a part of its definition has %d bytes, at most %d are listed", n, mostDefinition), nil
	}
	def := s.definition(from, listed.Name)
	e = &Exposed{Tool: server.Tool{Def: def, Calls: []server.Upstream{{Server: from, Tool: listed.Name}}}}
	if e.Graph, why, err = s.compileFor(ctx, def, listed.InputSchema); e.Graph == nil {
		return nil, why, err
	}
	e.Tool.Input = e.Graph.Input
	secrets := s.file.Secrets
	shown := *def
	shown.Title, shown.Description = config.Text{Value: secrets.Redact(listed.Title)}, config.Text{Value: secrets.Redact(listed.Description)}
	shown.Annotations, shown.Icons = s.part(def, listed.Annotations), s.part(def, listed.Icons())
	e.Tool.Def = &shown
	if e.Tool.InputJSON = schemaOf(secrets, listed.InputSchema); e.Tool.InputJSON == nil {
		why = "its inputSchema is not of type object, which the protocol requires; clients see any object"
	}
	e.Tool.OutputJSON = schemaOf(secrets, listed.OutputSchema)
	e.Typed = e.Tool.OutputJSON != nil
	return e, why, nil
}

// compileFor compiles the graph of a tool. With an inputSchema that cannot be used here the server alone checks the
// arguments, and why says so.
func (s *Set) compileFor(ctx context.Context, def *config.Tool, input []byte) (g *graph.Graph, why string, err error) {
	if len(input) > 0 {
		data, broken := config.ParseData(def.Name.Value, input)
		if broken == nil {
			def.InputSchema = data
			var found config.Diagnostics
			if g, found, err = s.compile(ctx, def); g != nil || err != nil {
				return g, "", err
			}
			broken = found.Err()
		}
		why = fmt.Sprintf("its server alone checks its arguments, because of its inputSchema: %v", broken)
	}
	def.InputSchema = anyArguments(def.Pos)
	g, found, err := s.compile(ctx, def)
	if g == nil {
		why = fmt.Sprintf("left out: %v", found.Err())
	}
	return g, why, err
}

// part returns a part of a definition without secrets; nil for one that cannot be read.
func (s *Set) part(def *config.Tool, raw []byte) *config.Data {
	if len(raw) == 0 {
		return nil
	}
	data, err := config.ParseData(def.Name.Value, s.file.Secrets.RedactJSON(raw))
	if err != nil {
		return nil
	}
	return data
}

// schemaOf returns a schema for clients: as its server gives it, in one line and without secrets; nil when it is not that
// of an object, for clients refuse all tools of a server that has such a one.
func schemaOf(secrets *config.Secrets, raw []byte) []byte {
	var members map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &members) != nil || string(members["type"]) != `"object"` {
		return nil
	}
	var line bytes.Buffer
	if json.Compact(&line, secrets.RedactJSON(raw)) != nil {
		return nil
	}
	return line.Bytes()
}

// definition is the tool for clients, with a schema that takes any arguments.
func (s *Set) definition(from, tool string) *config.Tool {
	pos := config.Pos{}
	if len(s.file.Expose) > 0 {
		pos = s.file.Expose[0].Pos
	}
	return &config.Tool{
		Pos: pos, Name: config.Text{Value: config.ExposedName(from, tool), Pos: pos}, Result: config.JSONResult, InputSchema: anyArguments(pos),
		Nodes: []*config.Node{
			callable.Node(pos, entryID, config.EntryNode, tool), callNode(pos, from, tool), callable.Node(pos, exitID, config.ExitNode, ""),
		},
	}
}

// The ids of the nodes beside the call; it has the name of its tool.
const (
	entryID = "_arguments"
	exitID  = "_result"
)

func callNode(pos config.Pos, from, tool string) *config.Node {
	n := callable.Node(pos, tool, config.MCPNode, exitID)
	n.Server, n.Tool = config.Text{Value: from, Pos: pos}, config.Text{Value: tool, Pos: pos}
	n.Args = &config.Data{Pos: pos, Kind: config.KindExpression, Expr: config.Text{Value: "$.`" + entryID + "`", Pos: pos}}
	return n
}

func anyArguments(pos config.Pos) *config.Data {
	return &config.Data{
		Pos: pos, Kind: config.KindObject, Keys: []config.Text{{Value: "type", Pos: pos}},
		Items: []*config.Data{{Pos: pos, Scalar: "object", Text: config.Text{Value: "object", Pos: pos}}},
	}
}

// compile compiles a definition. A finding that is an error is about its schemas.
func (s *Set) compile(ctx context.Context, def *config.Tool) (*graph.Graph, config.Diagnostics, error) {
	return graph.Extend(ctx, s.file, s.graphs, def, graph.References{}, nil)
}
