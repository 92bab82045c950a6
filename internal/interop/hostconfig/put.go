package hostconfig

import (
	"bytes"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// Action is what Put does to an entry.
type Action string

// The actions.
const (
	Unchanged Action = "unchanged"
	Added     Action = "added"
	Updated   Action = "updated"
	Replaced  Action = "replaced" // an entry of another server, with Launch.Force
)

// ForeignError means that the name of an entry is that of another server. Its text says where it is
// and what it is, without secrets.
type ForeignError struct {
	Pos  config.Pos
	Name string
	What string
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s: %s is the entry of another server (%s)", e.Pos, wording.Quote(e.Name), e.What)
}

// Put returns the content of a host's file with an entry for a server; src is the content of the
// file at path, and empty for a new one. Everything else stays byte for byte; an entry of this
// program keeps what the user added to it. The error is a *ForeignError for an entry of another
// server, or says the place at which the file is not what it should be. It reads and writes no file.
func (h *Host) Put(path string, src []byte, l Launch) ([]byte, Action, error) {
	for _, text := range append([]string{l.Command, l.URL}, l.Args...) {
		if h.replaces(text) {
			return nil, "", fmt.Errorf("%s would replace a part of %s by the value of a variable; use a path without $ and braces", h.Title, wording.Quote(text))
		}
	}
	wanted := []string{h.key}
	if h.entry.inputs {
		wanted = append(wanted, "inputs")
	}
	root, err := h.read(path, src, wanted)
	if err != nil {
		return nil, "", err
	}
	servers, err := h.entriesIn(root)
	if err != nil {
		return nil, "", err
	}
	action, entry := Added, h.entryOf(l)
	if at := slices.IndexFunc(servers.Keys, func(key config.Text) bool { return key.Value == l.Name }); at >= 0 {
		before := servers.Items[at]
		switch {
		case h.isOwn(before, l):
			action, entry = Updated, h.updated(before, entry, l)
		case l.Force:
			action = Replaced
		default:
			return nil, "", &ForeignError{servers.Keys[at].Pos, l.Name, h.about(before)}
		}
		if lost := h.lost(before, entry); len(lost) > 0 && l.Dropped != nil {
			l.Dropped(lost)
		}
	}
	want := root.With(h.key, servers.With(l.Name, entry))
	if h.entry.inputs {
		if want, err = h.withInputs(want, servers, entry, l); err != nil {
			return nil, "", err
		}
	}
	if same(root, want) {
		return src, Unchanged, nil
	}
	out, err := h.syntax.rewrite(path, src, want, wanted...)
	return out, action, err
}

// entriesIn returns the entries of a file that was read; an object without keys when it has none.
func (h *Host) entriesIn(root *config.Data) (*config.Data, error) {
	servers := root.Get(h.key)
	if servers == nil || isNull(servers) {
		return newObject(), nil
	}
	if servers.Kind != config.KindObject {
		return nil, &placedError{servers.Pos, fmt.Sprintf("%s is %s, expected names and servers", h.key, kindOf(servers))}
	}
	return servers, nil
}

// replaces reports whether the host replaces a part of a text in its file.
func (h *Host) replaces(text string) bool {
	f := h.forms
	return (f.plain || f.editor) && strings.Contains(text, "${") || f.bare && strings.Contains(text, "$") || f.braces && braced().MatchString(text)
}

// read reads the wanted keys of a file; an empty file has none.
func (h *Host) read(path string, src []byte, wanted []string) (*config.Data, error) {
	if len(bytes.TrimSpace(bytes.TrimPrefix(src, byteOrderMark))) == 0 {
		return &config.Data{Kind: config.KindObject, Pos: config.Pos{File: path, Line: 1, Column: 1}}, nil
	}
	if h.strict {
		plain, _, _ := withoutComments(src)
		body := len(src) - len(bytes.TrimPrefix(src, byteOrderMark))
		for i := body; i < len(src); i++ {
			if plain[i] != src[i] {
				return nil, &placedError{newCursor(path, src).pos(i), "found a comment or a trailing comma, with which " + h.Title + " reads nothing of this file; remove it"}
			}
		}
	}
	root, err := h.syntax.read(path, src, wanted...)
	if err != nil && h.syntax != yamlSyntax { // whose errors say what to do
		err = fmt.Errorf("%w; correct that first", err)
	}
	return root, err
}

// isOwn reports whether an entry is one of this program.
func (h *Host) isOwn(entry *config.Data, l Launch) bool {
	command, url := h.programOf(entry), h.urlOf(entry)
	if command != "" {
		return l.IsSelf(command)
	}
	return url != "" && (url == l.URL || isLocalServer(url, l.URL))
}

// isLocalServer reports whether a URL is that of a server of this program on this machine: it is on
// loopback, with the path of the fresh URL or, without such, the usual one.
func isLocalServer(text, fresh string) bool {
	old, err := url.Parse(text)
	if err != nil || !isLoopback(old.Hostname()) {
		return false
	}
	if fresh == "" {
		return old.Path == "/mcp"
	}
	now, err := url.Parse(fresh)
	return err == nil && isLoopback(now.Hostname()) && old.Path == now.Path
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// lost returns the names of what the user may have set in an entry and a later one lacks: keys, and
// names in them such as env.TOKEN. References that this program has written are not in it.
func (h *Host) lost(before, after *config.Data) (names []string) {
	for i, key := range before.Keys {
		item, now := before.Items[i], after.Get(key.Value)
		switch {
		case item.Kind == config.KindObject:
			for j, inner := range item.Keys {
				if text, _ := textOf(item.Items[j]); now.Get(inner.Value) == nil && (h.entry.reference == "" || text != h.entry.referenceTo(inner.Value)) {
					names = append(names, key.Value+"."+inner.Value)
				}
			}
		case now == nil && !slices.Contains([]string{"type", "url", h.entry.httpURL, h.entry.name("url"), h.entry.name("command"), h.entry.name("args"), h.entry.name("env_vars")}, key.Value):
			names = append(names, key.Value)
		}
	}
	return names
}

// programOf returns the command of an entry, "" for none.
func (h *Host) programOf(entry *config.Data) string {
	command := entry.Get(h.entry.name("command"))
	if command != nil && command.Kind == config.KindArray && len(command.Items) > 0 {
		command = command.Items[0]
	}
	text, _ := textOf(command)
	return text
}

func (h *Host) urlOf(entry *config.Data) string {
	for _, key := range []string{h.entry.httpURL, h.entry.name("url")} {
		if text, ok := textOf(entry.Get(key)); ok {
			return text
		}
	}
	return ""
}

// about says what an entry is: its command without arguments, or the host of its URL. Both could
// have secrets in other parts.
func (h *Host) about(entry *config.Data) string {
	if command := h.programOf(entry); command != "" {
		return "its command is " + wording.Quote(lastElement(command))
	}
	if parsed, err := url.Parse(h.urlOf(entry)); err == nil && parsed.Host != "" {
		return "its URL is on " + wording.Quote(parsed.Host) + "; it may be an earlier URL of this graph"
	}
	return "it has no command"
}

// withInputs returns the file with an input for each variable that the entry asks its user for, and
// without those of an older entry that no server refers to any more.
func (h *Host) withInputs(root, older, entry *config.Data, l Launch) (*config.Data, error) {
	inputs := root.Get("inputs")
	if inputs == nil || isNull(inputs) {
		inputs = &config.Data{Kind: config.KindArray}
	}
	if inputs.Kind != config.KindArray {
		return nil, &placedError{inputs.Pos, fmt.Sprintf("inputs is %s, expected a list", kindOf(inputs))}
	}
	all := *inputs
	servers, before := string(root.Get(h.key).JSON()), string(older.JSON())
	all.Items = slices.DeleteFunc(slices.Clone(inputs.Items), func(d *config.Data) bool {
		id, _ := textOf(d.Get("id"))
		reference := h.entry.referenceTo(id)
		return same(d, inputFor(id, l)) && strings.Contains(before, reference) && !strings.Contains(servers, reference)
	})
	env := entry.Get(h.entry.name("env"))
	for _, variable := range l.Variables {
		if text, _ := textOf(env.Get(variable)); text != h.entry.referenceTo(variable) {
			continue
		}
		if slices.ContainsFunc(all.Items, func(d *config.Data) bool { id, _ := textOf(d.Get("id")); return id == variable }) {
			continue
		}
		all.Items = append(all.Items, inputFor(variable, l))
	}
	if same(&all, inputs) {
		return root, nil
	}
	return root.With("inputs", &all), nil
}

// inputFor returns the input for a variable.
func inputFor(variable string, l Launch) *config.Data {
	return newObject().With("type", scalar("promptString")).With("id", scalar(variable)).
		With("description", scalar(variable+" of "+l.Name)).With("password", scalar(true))
}

// Snippet returns the entry as the file of the host has it when it has nothing else.
func (h *Host) Snippet(l Launch) (string, error) {
	text, _, err := h.Put("", nil, l)
	return strings.TrimRight(string(text), "\n"), err
}

// EntryJSON returns the entry of a host as compact JSON.
func (h *Host) EntryJSON(l Launch) string { return string(h.entryOf(l).JSON()) }

// lastElement returns the name of a file in a path of any system.
func lastElement(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }
