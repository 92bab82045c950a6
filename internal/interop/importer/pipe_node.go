package importer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/authoring/habit"
	"toolgraph/internal/base/wording"
)

// addPipe adds a pipe as a tool.
func (w *pipeWriter) addPipe(d *config.Data) error {
	if d.Kind != config.KindObject {
		return fault(d, "a pipe is not an object")
	}
	name, stages := textOf(d.Get("name")), d.Get("nodes")
	switch {
	case name == "":
		return fault(d, "a pipe has no name")
	case stages == nil || stages.Kind != config.KindArray || len(stages.Items) == 0:
		return fault(d, "the pipe %s has no list of nodes", wording.Quote(name))
	}
	w.pipe = &pipe{data: d, name: name, vars: map[string]string{}, ids: habit.Names{"entry": true, "exit": true}}
	if err := w.addVars(d.Get("vars")); err != nil {
		return err
	}
	var nodes []*config.Data
	var tools []string
	for i, stage := range stages.Items {
		node, err := w.node(stage, i == 0)
		if err != nil {
			return err
		}
		nodes = append(nodes, node)
		tools = append(tools, node.Get("server").Scalar.(string)+"."+node.Get("tool").Scalar.(string))
	}
	nodes = append(nodes, config.NewObject().Set("id", "exit").Set("type", "exit"))
	entry := config.NewObject().Set("id", "entry").Set("type", "entry")
	nodes = slices.Insert(nodes, 0, entry)
	for i, node := range nodes[:len(nodes)-1] {
		node.Set("next", nodes[i+1].Get("id"))
	}
	input := config.NewObject().Set("type", "string").Set("description", "What the pipe begins with.")
	tool := config.NewObject().Set("name", w.toolNames.Unique(toolName(name, "pipe"))).
		Set("description", cmp.Or(textOf(d.Get("description")), listed(tools))).
		Set("inputSchema", config.NewObject().Set("type", "object").
			Set("properties", config.NewObject().Set("input", input)).
			Set("required", config.NewList(config.NewText("input")))).
		Set("result", "text").Set("nodes", config.NewList(nodes...))
	w.unknown(tool, d, "the pipe", "name", "description", "nodes", "vars")
	w.tools.Items = append(w.tools.Items, tool)
	return nil
}

// addVars adds the variables of the pipe to those of the file; one that another pipe has with
// another value gets a name of its own.
func (w *pipeWriter) addVars(d *config.Data) error {
	if !isMissing(d) && d.Kind != config.KindObject {
		return fault(d, "vars of the pipe %s is not an object", wording.Quote(w.pipe.name))
	}
	for i, key := range keysOf(d) {
		v, name := config.NewText(scalarText(d.Items[i])), habit.Identifier(key, "VAR")
		if have := w.vars.Get(name); have != nil && textOf(have) == textOf(v) {
			w.pipe.vars[key] = name
			continue
		}
		name = w.varNames.Unique(name)
		switch {
		case textOf(v) != "" && (config.SecretName(key) || isSecret(key, textOf(v))):
			v = config.NewText("")
			w.note(v, secretVarNote, name)
		case textOf(v) == "":
			w.note(v, "TODO: it has no default; give it with --var %s=TEXT.", name)
		}
		w.pipe.vars[key] = name
		w.vars.Set(name, v)
	}
	return nil
}

// node returns a stage of a pipe as a node, without its next.
func (w *pipeWriter) node(d *config.Data, isFirst bool) (*config.Data, error) {
	if d.Kind != config.KindObject {
		return nil, fault(d, "a node is not an object")
	}
	from := "$previousNode()"
	if isFirst {
		from = "$.entry.input"
	}
	kind := cmp.Or(textOf(d.Get("type")), "binary")
	server, args, node := w.programServer, config.NewObject(), config.NewObject()
	known := []string{"type", "help_msg", "optional", "tee", "timeout", "id", "args"}
	var tool string
	var err error
	switch kind {
	case "mcp":
		known = append(known, "server", "tool", "input_key")
		server, tool = textOf(d.Get("server")), textOf(d.Get("tool"))
		if server == "" || tool == "" {
			return nil, fault(d, "a node of type mcp has no server or no tool")
		}
		if w.servers.Get(server) == nil {
			return nil, fault(d.Get("server"), "server %s is not in servers%s", wording.Quote(server), wording.Suggest(server, keysOf(w.servers)))
		}
		args, err = w.arguments(node, d, from)
	default:
		known = append(known, "cmd")
		tool, err = w.command(node, d, kind)
		args.Set("stdin", config.NewExpression(from))
	}
	if err != nil {
		return nil, err
	}
	node.Set("id", w.pipe.ids.Unique(habit.Identifier(cmp.Or(textOf(d.Get("id")), tool), "node"))).Set("type", "mcp").
		Set("server", server).Set("tool", tool).Set("args", args)
	if err := w.options(node, d, from); err != nil {
		return nil, err
	}
	w.unknown(node, d, "the node", known...)
	return node, nil
}

// options sets what nodes of all types have.
func (w *pipeWriter) options(node, d *config.Data, from string) error {
	if timeout := d.Get("timeout"); !isMissing(timeout) {
		seconds, isNumber := timeout.Scalar.(float64)
		if !isNumber || seconds <= 0 || seconds > 24*60*60 {
			return fault(timeout, "timeout is not a number of seconds, at most a day")
		}
		node.Set("timeoutMs", math.Max(1, math.Round(seconds*1000)))
	}
	if d.Get("optional") != nil && d.Get("optional").Scalar == true {
		node.Set("onError", config.NewObject().Set("value", config.NewExpression(from)))
	}
	if help := textOf(d.Get("help_msg")); help != "" {
		node.Set("help", help)
	}
	if tee := d.Get("tee"); tee != nil && tee.Scalar != false {
		w.note(node, "tee: %s. Here, every value is recorded: toolgraph runs show RUN --step N --full.", wording.Truncate(string(tee.JSON()), 200))
	}
	return nil
}

// arguments returns the arguments of a node of type mcp.
func (w *pipeWriter) arguments(node, d *config.Data, from string) (*config.Data, error) {
	key := cmp.Or(textOf(d.Get("input_key")), "content")
	static := d.Get("args")
	if !isMissing(static) && static.Kind != config.KindObject && (static.Kind != config.KindArray || len(static.Items) > 0) {
		return nil, fault(static, "args of a node of type mcp is not an object")
	}
	args := config.NewObject()
	if static.Get(key) == nil {
		args.Set(key, config.NewExpression(from))
	} else {
		w.warn("%s:%d: args has the key %s, so that the node does not get what the node before it gives, as in Context Pipe",
			static.Pos.File, static.Pos.Line, wording.Quote(key))
		w.note(node, "TODO: args has the input key %s, so that what the node before it gives is not used.", wording.Quote(key))
	}
	if static != nil && static.Kind == config.KindObject {
		for i, name := range keysOf(static) {
			args.Set(name, w.argument(name, static.Items[i]))
		}
	}
	return args, nil
}

// argument returns a value of args with the variables of the pipe in it, and others in the place of
// its secrets. The name has those of the objects around it.
func (w *pipeWriter) argument(name string, d *config.Data) *config.Data {
	switch {
	case isWhole(d) && hasSecret(name, d):
		return config.NewExpression("$vars." + w.secretVar(name))
	case d.Kind == config.KindObject && d.Get("expr") != nil:
		return config.NewExpression(string(d.JSON())) // JSON is JSONata, and expr alone would be an expression
	case d.Kind == config.KindObject:
		object := config.NewObject()
		for i, key := range keysOf(d) {
			object.Set(key, w.argument(name+"."+key, d.Items[i]))
		}
		return object
	case d.Kind == config.KindArray:
		list := config.NewList()
		for _, item := range d.Items {
			list.Items = append(list.Items, w.argument(name, item))
		}
		return list
	}
	text, isText := d.Scalar.(string)
	if !isText || !variable().MatchString(text) {
		return &config.Data{Scalar: d.Scalar}
	}
	var terms, missing []string
	end := 0
	for _, at := range variable().FindAllStringSubmatchIndex(text, -1) {
		name, isVar := w.pipe.vars[text[at[2]:at[3]]]
		if !isVar {
			missing = append(missing, text[at[2]:at[3]])
			continue
		}
		if at[0] > end {
			terms = append(terms, habit.Quoted(text[end:at[0]]))
		}
		terms, end = append(terms, "$vars."+name), at[1]
	}
	if len(missing) > 0 {
		part := config.NewText(text)
		w.note(part, "TODO: environment variables do not get into arguments; declare %s under vars, and write {expr: …}.", wording.List(missing))
		return part
	}
	if end < len(text) {
		terms = append(terms, habit.Quoted(text[end:]))
	}
	return config.NewExpression(strings.Join(terms, " & "))
}

// command returns the program of a node that runs one.
func (w *pipeWriter) command(node, d *config.Data, kind string) (string, error) {
	command := textOf(d.Get("cmd"))
	if command == "" {
		return "", fault(d, "a node of type %s has no cmd", wording.Quote(kind))
	}
	args, err := wordsOf(d.Get("args"), "args of "+wording.Quote(command))
	if err != nil {
		return "", err
	}
	if strings.Contains(command, " ") && !strings.ContainsAny(command, `/\`) {
		w.note(node, "TODO: no shell reads the command %s; if it has arguments, make them words of their own.", wording.Quote(command))
	}
	if kind != "binary" && kind != "shell" {
		w.note(node, "TODO: the node has the type %s; its cmd is run as a program.", wording.Quote(kind))
	}
	words := w.withoutSecrets(append([]string{command}, args...))
	for i, word := range words {
		words[i] = variable().ReplaceAllStringFunc(word, func(found string) string {
			if name, isVar := w.pipe.vars[found[2:len(found)-1]]; isVar {
				return fmt.Sprintf("${vars.%s}", name)
			}
			return found
		})
	}
	return w.program(words), nil
}
