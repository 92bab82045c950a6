package hostconfig

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project/registry"
)

// entryReader turns one server of a host's file into an entry.
type entryReader struct {
	*Reader
	name   string
	inputs map[string]string // descriptions of the editor's inputs
	data   *config.Data
	read   []string // the keys that are understood
	set    []Variable
	notes  []string
	left   string // the first reason why the server cannot be taken
}

func (e *entryReader) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(e.notes, text) {
		e.notes = append(e.notes, text)
	}
}

// leave records why the server cannot be taken.
func (e *entryReader) leave(pos config.Pos, format string, args ...any) {
	if e.left == "" {
		e.left = fmt.Sprintf(format, args...)
		if pos.IsValid() {
			e.left += fmt.Sprintf(" (line %d, column %d)", pos.Line, pos.Column)
		}
	}
}

// server returns what becomes of a server.
func (e *entryReader) server(name config.Text, data *config.Data) Server {
	s := Server{Name: name.Value, Pos: name.Pos}
	if e.data = data; data.Kind != config.KindObject {
		e.leave(data.Pos, "it is %s, expected an object", kindOf(data))
		s.Left = e.left
		return s
	}
	if inner := data.Get("transport"); e.host.nested && inner != nil && inner.Kind == config.KindObject {
		data = flattened(data, inner)
		e.data = data
	}
	entry := e.entry()
	if e.opts.Keep {
		s.Only = e.limits()
		s.Values, s.Passed = e.variablesOf(&entry)
	}
	if s.Left = e.left; e.left != "" {
		return s
	}
	var unused []string
	for _, key := range data.Keys {
		if !slices.Contains(e.read, key.Value) && !slices.Contains(decoration, key.Value) {
			unused = append(unused, key.Value)
		}
	}
	if len(unused) > 0 {
		e.note("not imported, because toolgraph has no such settings: %s", wording.List(unused))
	}
	s.Entry, s.Set, s.Notes = &entry, e.set, e.notes
	return s
}

// flattened returns an entry with the keys of its transport in its place.
func flattened(entry, transport *config.Data) *config.Data {
	flat := *entry
	flat.Keys, flat.Items = slices.Clone(transport.Keys), slices.Clone(transport.Items)
	for i, key := range entry.Keys {
		if key.Value != "transport" {
			flat.Keys, flat.Items = append(flat.Keys, key), append(flat.Items, entry.Items[i])
		}
	}
	return &flat
}

// decoration are keys of which the loss changes nothing.
var decoration = []string{"name", "description", "gallery", "version", "icon", "icons", "displayName", "display_name", "bundled", "source"}

func (e *entryReader) entry() (entry registry.Definition) {
	if off, has := e.flag("disabled"); has && off {
		e.leave(config.Pos{}, "it is disabled in %s", e.host.Title)
	}
	if on, has := e.flag("enabled"); has && !on {
		e.leave(config.Pos{}, "it is disabled in %s", e.host.Title)
	}
	e.transport(&entry)
	if entry.URL == "" {
		e.process(&entry)
	} else {
		e.remote(&entry)
	}
	unit, timeout := time.Millisecond, &entry.TimeoutMs
	entry.TimeoutMs = e.duration("tool_timeout_sec", time.Second)
	entry.StartTimeoutMs = max(e.duration("startup_timeout_sec", time.Second), e.duration("startup_timeout_ms", time.Millisecond))
	switch e.host.entry.timeout {
	case timeoutSeconds:
		unit = time.Second
	case startTimeout:
		timeout = &entry.StartTimeoutMs
	case timeoutMilliseconds:
	}
	*timeout += e.duration("timeout", unit)
	return entry
}

// transport decides how the server is reached, and sets its type and url or its command.
func (e *entryReader) transport(entry *registry.Definition) {
	kind, _ := e.text("type")
	command, local := e.command()
	switch kind.Value {
	case "":
		if _, isSSE := e.text("url"); isSSE && e.host.sseURL {
			entry.Type = string(config.SSE)
		}
	case "stdio", "local":
		local = true
	case "sse":
		entry.Type = string(config.SSE)
		local = false
	case "http", "remote", "streamable-http", "streamableHttp", "streamable_http":
		local = false
	default:
		e.leave(kind.Pos, "its type is %s, expected stdio, http or sse", wording.Quote(kind.Value))
	}
	if local {
		parts, err := e.pieces(command.Value)
		if err == nil {
			entry.Command, err = e.now(parts)
		}
		switch {
		case err != nil:
			e.leave(command.Pos, "%v", err)
		case entry.Command == "":
			e.leave(e.data.Pos, "it has no command")
		case e.opts.IsSelf != nil && e.opts.IsSelf(entry.Command):
			e.leave(config.Pos{}, "it is toolgraph itself")
		case !strings.ContainsAny(entry.Command, `/\`) || filepath.IsAbs(entry.Command):
		case e.opts.Dir != "":
			entry.Command = filepath.Join(e.opts.Dir, entry.Command)
		default:
			e.leave(command.Pos, "its command is relative to the directory in which %s is started", e.host.Title)
		}
		entry.Type = ""
		return
	}
	url, has := e.text("httpUrl")
	if has {
		entry.Type = ""
	} else if url, has = e.text("url"); !has {
		e.leave(e.data.Pos, "it has neither a command nor a url")
		return
	}
	if entry.URL = e.value(url, holder{where: "url", prefix: e.name}); entry.Type == "" && kind.Value == "" && strings.HasSuffix(strings.TrimRight(url.Value, "/"), "/sse") {
		entry.Type = string(config.SSE)
	}
}

// process sets what a program gets.
func (e *entryReader) process(entry *registry.Definition) {
	entry.Env = e.settings("env", "")
	flag := "" // the last argument, when it may need a value
	here := false
	for i, item := range e.arguments() {
		text, ok := looseText(item)
		if !ok {
			e.leave(item.Pos, "argument %d is %s, expected text", i+1, kindOf(item))
			continue
		}
		parts, err := e.pieces(text.Value)
		if err == nil {
			text.Value, err = e.written(e.argument(parts, flag, item.Pos), item.Pos)
		}
		if err != nil {
			e.leave(item.Pos, "argument %d: %v", i+1, err)
		}
		if (flag == "-e" || flag == "--env") && isEnvironment(text.Value) && entry.Env[text.Value] == "" {
			entry.Env = with(entry.Env, text.Value, "${"+text.Value+"}") // hosts pass on their own environment
		}
		if flag = ""; strings.HasPrefix(text.Value, "-") && !strings.Contains(text.Value, "=") {
			flag = text.Value
		}
		here = here || e.isHere(text.Value)
		entry.Args = append(entry.Args, text.Value)
	}
	for _, item := range e.list("env_vars") {
		name, _ := textOf(item)
		if name == "" {
			name, _ = textOf(item.Get("name"))
		}
		if name != "" {
			entry.Env = with(entry.Env, name, "${"+name+"}")
		}
	}
	if cwd, has := e.text("cwd"); has {
		entry.Cwd = e.value(cwd, holder{where: "cwd"})
		switch {
		case filepath.IsAbs(entry.Cwd), strings.HasPrefix(entry.Cwd, "${"):
		case e.opts.Dir != "":
			entry.Cwd = filepath.Join(e.opts.Dir, entry.Cwd)
		default:
			e.leave(cwd.Pos, "its cwd is relative to the directory in which %s is started", e.host.Title)
		}
	}
	if here && entry.Cwd == "" {
		entry.Cwd = e.opts.Dir
	}
	if e.data.Get("envFile") != nil {
		e.read = append(e.read, "envFile")
		e.note("its envFile is not read: set the variables in that file, and add --env 'NAME=${NAME}' for each")
	}
}

// isHere reports whether an argument is the relative path of something in the project, where hosts
// start its servers.
func (e *entryReader) isHere(arg string) bool {
	if e.opts.Dir == "" || !filepath.IsLocal(arg) {
		return false
	}
	_, err := os.Lstat(filepath.Join(e.opts.Dir, arg))
	return err == nil
}

// remote sets the headers of requests to a server.
func (e *entryReader) remote(entry *registry.Definition) {
	entry.Headers = e.settings("headers", e.name)
	for name, value := range e.settings("http_headers", e.name) {
		entry.Headers = with(entry.Headers, name, value)
	}
	if from := e.data.Get("env_http_headers"); from != nil {
		e.read = append(e.read, "env_http_headers")
		for i, name := range from.Keys {
			if variable, ok := textOf(from.Items[i]); ok {
				entry.Headers = with(entry.Headers, name.Value, "${"+variable+"}")
			}
		}
	}
	if variable, has := e.text("bearer_token_env_var"); has {
		entry.Headers = with(entry.Headers, "Authorization", "Bearer ${"+variable.Value+"}")
	}
}

func with(settings map[string]string, name, value string) map[string]string {
	if settings == nil {
		settings = map[string]string{}
	}
	settings[name] = value
	return settings
}

// settings returns env or headers; prefix begins the names of variables for their secrets.
func (e *entryReader) settings(key, prefix string) map[string]string {
	d := e.get(key)
	if d == nil {
		return nil
	}
	if d.Kind != config.KindObject {
		e.leave(d.Pos, "%s is %s, expected names and texts", key, kindOf(d))
		return nil
	}
	var settings map[string]string
	for i, name := range d.Keys {
		text, ok := looseText(d.Items[i])
		if isNull(d.Items[i]) {
			continue // the host removes the variable, and toolgraph inherits none
		}
		if !ok {
			e.leave(d.Items[i].Pos, "%s in %s is %s, expected text", wording.Quote(name.Value), key, kindOf(d.Items[i]))
			continue
		}
		settings = with(settings, name.Value, e.value(text, holder{where: key, name: name.Value, prefix: prefix}))
	}
	return settings
}

// value returns a text of the host's file as a registry has it.
func (e *entryReader) value(text config.Text, of holder) string {
	parts, err := e.pieces(text.Value)
	var out string
	switch {
	case err != nil:
	case e.opts.Keep && of.name != "" && text.Value != "":
		out = e.keep(text, of)
	default:
		out, err = e.written(e.guarded(parts, of, text.Pos), text.Pos)
	}
	if err != nil {
		e.leave(text.Pos, "%s: %v", strings.TrimSpace(of.where+" "+of.name), err)
	}
	return out
}
