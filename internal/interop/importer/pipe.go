package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/authoring/habit"
	"toolgraph/internal/base/wording"
)

// MaxPipesBytes is the maximum size of a pipes.json.
const MaxPipesBytes = config.MaxFileBytes

// Pipes is a pipes.json of Context Pipe.
type Pipes struct {
	Path string // in messages
	Src  []byte
}

// ContextPipe returns a graph file with a tool for each pipe of pipes.json. Pipes and servers of the
// user's own file, ~/.mcp-pipe.json, are added when it is given; those of the project go first.
// What the graph language says in another way, or not at all, is a comment.
func ContextPipe(project Pipes, user *Pipes) (*File, error) {
	w := &pipeWriter{
		draft: newDraft(), servers: config.NewObject(), programs: config.NewObject(), vars: config.NewObject(),
		programNames: habit.Names{}, tools: config.NewList(), toolNames: habit.Names{}, varNames: habit.Names{}, secretVars: habit.Names{}, secretEnv: habit.Names{}, shared: map[string]string{},
	}
	root := config.NewObject()
	w.note(root, "Imported by toolgraph import context-pipe from %s.", fileName(project.Path))
	var sources []*pipeSource
	for _, p := range []*Pipes{&project, user} {
		if p == nil {
			continue
		}
		s, err := readPipes(p)
		if err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	if err := w.addAll(root, sources); err != nil {
		return nil, err
	}
	name := habit.Identifier(strings.TrimSuffix(filepath.Base(project.Path), filepath.Ext(project.Path)), "pipes")
	root.Set("version", "1.0").Set("server", config.NewObject().Set("name", name).Set("version", "1.0.0"))
	if len(w.vars.Items) > 0 {
		w.note(w.vars, "Context Pipe also reads these from the environment; here, --var NAME=TEXT sets them.")
		root.Set("vars", w.vars)
	}
	if len(w.servers.Items) > 0 {
		root.Set("mcpServers", w.servers)
	}
	graph, err := config.Format(project.Path, root.Set("tools", w.tools), w.notes)
	if err != nil {
		return nil, err
	}
	return &File{Graph: graph, Warnings: w.warnings}, nil
}

// pipeSource is the content of a pipes.json.
type pipeSource struct {
	path                     string
	root                     *config.Data
	pipes, servers, mappings *config.Data // nil when missing
}

func readPipes(p *Pipes) (*pipeSource, error) {
	root, err := config.ParseData(p.Path, inYAML(p.Src))
	if err != nil {
		return nil, errors.New(err.Error()) // findings, but not about a graph file
	}
	s := &pipeSource{path: p.Path, root: root}
	if root.Kind != config.KindObject {
		return nil, fault(root, "expected an object with pipes")
	}
	for _, part := range []struct {
		key  string
		into **config.Data
		kind config.Kind
		form string
	}{
		{"pipes", &s.pipes, config.KindArray, "a list of pipes"},
		{"servers", &s.servers, config.KindObject, "an object of servers"},
		{"mappings", &s.mappings, config.KindArray, "a list of {trigger, pipe}"},
	} {
		d := root.Get(part.key)
		if d != nil && d.Kind != part.kind {
			return nil, fault(d, "%s is not %s", part.key, part.form)
		}
		*part.into = d
	}
	if s.pipes == nil && s.servers == nil {
		return nil, fault(root, "found no pipes and no servers; is this a pipes.json of Context Pipe?")
	}
	return s, nil
}

var escapedText = wording.Pattern(`"(?:[^"\\\n]|\\.)*\\(?:/|u[dD])(?:[^"\\\n]|\\.)*"`)

// inYAML returns JSON whose texts YAML reads as JSON does: YAML has no \/ and no surrogate pairs.
func inYAML(src []byte) []byte {
	if !json.Valid(src) {
		return src
	}
	return escapedText().ReplaceAllFunc(src, func(text []byte) []byte {
		v, err := value.Decode(text)
		if s, isText := v.(string); err == nil && isText {
			return value.AppendString(nil, s)
		}
		return text
	})
}

// fault returns an error at a part of a pipes.json.
func fault(at *config.Data, format string, args ...any) error {
	return placed(at.Pos.File, at.Pos.Line, at.Pos.Column, format, args...)
}

// pipeWriter writes the graph of pipes.
type pipeWriter struct {
	*draft
	servers, programs, vars, tools *config.Data
	programServer                  string // the name of the server whose tools are programs
	programNames, toolNames        habit.Names
	shared                         map[string]string // the programs by their commands
	varNames                       habit.Names
	secretVars                     habit.Names // those of vars that take the place of a secret in arguments
	secretEnv                      habit.Names // the environment variables that take the place of one in a command

	pipe *pipe
}

// pipe is the pipe that is being written.
type pipe struct {
	data *config.Data
	name string
	vars map[string]string // the names of its variables in the file
	ids  habit.Names
}

// addAll adds the servers, pipes and mappings of all sources; the first that has a name wins.
func (w *pipeWriter) addAll(root *config.Data, sources []*pipeSource) error {
	used := habit.Names{}
	for _, s := range sources {
		for _, key := range keysOf(s.servers) {
			used[key] = true
		}
	}
	w.programServer = used.Unique("programs")
	for _, s := range sources {
		w.unknown(root, s.root, "the file", "version", "pipes", "servers", "mappings", "description")
		if text := textOf(s.root.Get("description")); text != "" {
			w.note(root, "%s", text)
		}
		for i, name := range keysOf(s.servers) {
			if err := w.addServer(name, s.servers.Items[i]); err != nil {
				return err
			}
		}
	}
	done := map[string]bool{}
	for _, s := range sources {
		own := map[string]bool{}
		for _, p := range itemsOf(s.pipes) {
			name := textOf(p.Get("name"))
			if done[name] {
				continue
			}
			if own[name] {
				return fault(p, "the pipe %s is there twice", wording.Quote(name))
			}
			own[name] = true
			if err := w.addPipe(p); err != nil {
				return err
			}
		}
		for name := range own {
			done[name] = true
		}
	}
	if len(w.programs.Items) > 0 {
		w.addPrograms()
	}
	for _, s := range sources {
		for _, m := range itemsOf(s.mappings) {
			w.note(root, "Mapping of Context Pipe: %s to the pipe %s. Here, the agent chooses the tool by its description.",
				cmp.Or(textOf(m.Get("trigger")), "?"), cmp.Or(textOf(m.Get("pipe")), "?"))
		}
	}
	if len(w.tools.Items) == 0 {
		return fault(sources[0].root, "the file has no pipes")
	}
	return nil
}

// addServer adds a server, unless one of its name is there. A text is a comment of its author.
func (w *pipeWriter) addServer(name string, d *config.Data) error {
	if w.servers.Get(name) != nil || strings.HasPrefix(name, "_") && d.Kind != config.KindObject {
		return nil
	}
	if d.Kind != config.KindObject {
		return fault(d, "server %s is not an object", wording.Quote(name))
	}
	words, err := wordsOf(d.Get("command"), "command of server "+wording.Quote(name))
	if err != nil {
		return err
	}
	if len(words) == 1 && d.Get("command").Kind == config.KindScalar {
		words = strings.Fields(words[0]) // a command line
	}
	more, err := wordsOf(d.Get("args"), "args of server "+wording.Quote(name))
	if err != nil {
		return err
	}
	if words = append(words, more...); len(words) == 0 || words[0] == "" {
		return fault(d, "server %s has no command", wording.Quote(name))
	}
	server := config.NewObject().Set("command", words[0])
	if len(words) > 1 {
		server.Set("args", w.serverArgs(name, words))
	}
	server.Set("results", "text")
	if env := d.Get("env"); env != nil {
		if env.Kind != config.KindObject {
			return fault(env, "env of server %s is not an object", wording.Quote(name))
		}
		server.Set("env", w.env(env))
	}
	if text := textOf(d.Get("description")); text != "" {
		w.note(server, "%s", text)
	}
	w.unknown(server, d, "the server", "command", "args", "env", "description", "verbose")
	w.servers.Set(name, server)
	return nil
}

// env returns the variables of a server. A secret is not copied.
func (w *pipeWriter) env(d *config.Data) *config.Data {
	env := config.NewObject()
	for i, key := range keysOf(d) {
		v := config.NewText(scalarText(d.Items[i]))
		if config.SecretName(key) && !variable().MatchString(textOf(v)) || isSecret(key, textOf(v)) {
			v = config.NewText("${" + habit.Identifier(key, "SECRET") + "}")
			w.note(v, "TODO: the value was a secret, which is not copied; set the variable.")
		}
		env.Set(key, v)
	}
	return env
}

// addPrograms adds the server whose tools are the programs of all pipes.
func (w *pipeWriter) addPrograms() {
	server := config.NewObject().Set("type", "exec").Set("results", "text")
	w.note(server, "Programs run only with --allow-exec. They get few variables of the environment; add others to env.")
	if len(w.vars.Items) > 0 {
		env := config.NewObject()
		for _, name := range keysOf(w.vars) {
			if !w.secretVars[name] {
				env.Set(name, "${vars."+name+"}")
			}
		}
		if len(env.Items) > 0 {
			server.Set("env", env)
		}
	}
	w.servers.Set(w.programServer, server.Set("tools", w.programs))
}

// program returns the name of the program with this command.
func (w *pipeWriter) program(words []string) string {
	key := strings.Join(words, "\x00")
	if name := w.shared[key]; name != "" {
		return name
	}
	name := w.programNames.Unique(programName(words[0]))
	w.shared[key] = name
	w.programs.Set(name, config.NewObject().Set("command", textList(words)))
	return name
}

// programName returns the name of a program without its directory and the ending of Windows.
func programName(command string) string {
	base := command[strings.LastIndexAny(command, `/\`)+1:]
	if ending := filepath.Ext(base); slices.Contains([]string{".exe", ".cmd", ".bat"}, strings.ToLower(ending)) {
		base = strings.TrimSuffix(base, ending)
	}
	return toolName(base, "program")
}

var notInToolNames = wording.Pattern(`[^A-Za-z0-9_.-]+`)

// toolName returns a text as the name of a tool.
func toolName(text, other string) string {
	return cmp.Or(strings.Trim(notInToolNames().ReplaceAllString(wording.Head(text, habit.MaxName), "_"), "_"), other)
}

var variable = wording.Pattern(`\$\{([^}]*)\}`)

// unknown notes the keys of an object that the graph does not have.
func (w *pipeWriter) unknown(part, d *config.Data, of string, known ...string) {
	for i, key := range keysOf(d) {
		if !slices.Contains(known, key) && !strings.HasPrefix(key, "_") {
			w.note(part, "TODO: %s of %s is not imported: %s", wording.Quote(key), of, shown(key, d.Items[i]))
		}
	}
}

// shown returns a value for a comment, shortened; a secret is not shown.
func shown(key string, d *config.Data) string {
	if config.SecretName(key) || hasSecret(key, d) {
		return habit.Hidden
	}
	return wording.Truncate(string(d.JSON()), 200)
}

// isMissing reports whether a value is missing or null.
func isMissing(d *config.Data) bool {
	return d == nil || d.Kind == config.KindScalar && d.Scalar == nil
}

func keysOf(d *config.Data) []string {
	if d == nil {
		return nil
	}
	keys := make([]string, len(d.Keys))
	for i, k := range d.Keys {
		keys[i] = k.Value
	}
	return keys
}

func itemsOf(d *config.Data) []*config.Data {
	if d == nil {
		return nil
	}
	return d.Items
}

// textOf returns a text, or "" for any other value.
func textOf(d *config.Data) string {
	if d == nil {
		return ""
	}
	text, _ := d.Scalar.(string)
	return text
}

// scalarText returns a scalar as a text: a number by its digits.
func scalarText(d *config.Data) string {
	if text, isText := d.Scalar.(string); isText {
		return text
	}
	return string(d.JSON())
}

// wordsOf returns the words of a command line: a list of scalars, one text, or none.
func wordsOf(d *config.Data, who string) ([]string, error) {
	switch {
	case isMissing(d):
		return nil, nil
	case d.Kind == config.KindScalar:
		return []string{scalarText(d)}, nil
	case d.Kind != config.KindArray:
		return nil, fault(d, "%s is not a list of texts", who)
	}
	words := make([]string, len(d.Items))
	for i, item := range d.Items {
		if item.Kind != config.KindScalar || item.Scalar == nil {
			return nil, fault(item, "%s has an item that is not text", who)
		}
		words[i] = scalarText(item)
	}
	return words, nil
}

func textList(words []string) *config.Data {
	list := config.NewList()
	for _, word := range words {
		list.Items = append(list.Items, config.NewText(word))
	}
	return list
}

// listed returns tools for a description.
func listed(tools []string) string {
	return fmt.Sprintf("Pipes a text through %s.", wording.List(tools))
}
