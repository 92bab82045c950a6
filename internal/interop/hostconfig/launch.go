package hostconfig

import (
	"math"
	"slices"
	"strings"
	"time"

	"toolgraph/config"
)

// Launch is how a host reaches this program with a graph file.
type Launch struct {
	Name        string // of the entry
	Description string
	Command     string   // the absolute path of the program
	Args        []string // pairs of a flag and its value, then flags that have none
	Variables   []string // names of environment variables that it needs
	Optional    []Optional
	Env         []Setting // further variables, with values as the host's file has them: literal, or references of the host
	URL         string    // of its server over HTTP, instead of Command, Args and Variables; "" for none
	Timeout     time.Duration

	IsSelf func(command string) bool // reports whether a command is this program
	Force  bool                      // replace an entry of the name that is another server's

	Dropped func(names []string) // called by Put with the names of what the entry loses; nil for none
}

// Setting is a variable and its value, which may be a secret.
type Setting struct{ Name, Value string }

// Optional is an environment variable that has a default in the graph file.
type Optional struct {
	Name    string `json:"name"`
	Default string `json:"default,omitempty"` // "" when it is empty, may be a secret, or is not the same everywhere
}

// NoHTTP returns what to do instead of an entry over HTTP, "" for a host whose file has such.
func (h *Host) NoHTTP() string { return h.entry.noHTTP }

// Next returns what the user of the host sees or has to do after an entry was written, each a
// sentence.
func (h *Host) Next(scope Scope, l Launch) []string {
	if scope == ProjectScope && h.nextProject != nil {
		return h.nextProject
	}
	if h.thinPath && l.URL == "" { // else it starts no program
		return append(slices.Clip(h.next), shortPath)
	}
	return h.next
}

// Fill returns how the host gets the values of the variables of an entry, as a sentence without its
// end.
func (h *Host) Fill() string {
	switch {
	case h.entry.reference == "", strings.Contains(h.entry.reference, "NAME}") && !h.entry.inputs:
		return h.Title + " passes on these variables of its own environment; set them there"
	case h.entry.inputs:
		return h.Title + " asks for these variables when it starts the server"
	}
	return "Write the values of these variables in the place of <…>"
}

// reference returns what the entry has as the value of a variable.
func (d *dialect) referenceTo(variable string) string {
	return strings.Replace(d.reference, "NAME", variable, 1)
}

// optionalTo returns what the entry has as the value of an optional variable, "" when it is left out.
func (d *dialect) optionalTo(o Optional) string {
	if strings.Contains(d.optional, "DEFAULT") && (o.Default == "" || strings.ContainsAny(o.Default, "${}")) {
		return ""
	}
	return strings.NewReplacer("NAME", o.Name, "DEFAULT", o.Default).Replace(d.optional)
}

// entryOf returns the entry for a server, with keys in the order in which people write them.
func (h *Host) entryOf(l Launch) *config.Data {
	d, entry := &h.entry, newObject()
	add := func(key string, value *config.Data) { entry = entry.With(key, value) }
	fixed := d.stdio
	if l.URL != "" {
		fixed = d.http
	}
	for _, s := range fixed {
		add(s.key, scalar(s.value))
	}
	if d.describes {
		add("name", scalar(l.Name))
		add("description", scalar(l.Description))
	}
	switch {
	case l.URL != "" && d.httpURL != "":
		add(d.httpURL, scalar(l.URL))
	case l.URL != "":
		add(d.name("url"), scalar(l.URL))
	case d.isList():
		add(d.name("command"), list(append([]string{l.Command}, l.Args...)))
	default:
		add(d.name("command"), scalar(l.Command))
		add(d.name("args"), list(l.Args))
	}
	names, env := slices.Clone(l.Variables), newObject()
	for _, variable := range l.Variables {
		env = env.With(variable, scalar(d.referenceTo(variable)))
	}
	for _, o := range l.Optional {
		if text := d.optionalTo(o); text != "" {
			names, env = append(names, o.Name), env.With(o.Name, scalar(text))
		}
	}
	if d.reference == "" { // it passes on variables by their names
		if env = newObject(); len(names) > 0 && l.URL == "" {
			add(d.name("env_vars"), list(names))
		}
	}
	for _, s := range l.Env {
		env = env.With(s.Name, scalar(s.Value))
	}
	if len(env.Keys) > 0 && l.URL == "" {
		add(d.name("env"), env)
	}
	if d.calls != "" && l.Timeout > 0 {
		add(d.calls, scalar(math.Ceil(l.Timeout.Seconds())))
	}
	for _, s := range d.rest {
		add(s.key, scalar(s.value))
	}
	return entry
}

func newObject() *config.Data { return &config.Data{Kind: config.KindObject} }

// scalar returns a text, a number or a boolean as data.
func scalar(v any) *config.Data {
	d := &config.Data{Scalar: v}
	if text, isText := v.(string); isText {
		d.Text = config.Text{Value: text}
	}
	return d
}

func list(words []string) *config.Data {
	d := &config.Data{Kind: config.KindArray}
	for _, word := range words {
		d.Items = append(d.Items, scalar(word))
	}
	return d
}

// local and remote are the keys that only an entry of one form has, by their usual names.
var (
	localKeys  = []string{"command", "args", "env", "env_vars", "cwd", "envFile"}
	remoteKeys = []string{"url", "httpUrl", "headers", "http_headers", "env_http_headers", "bearer_token_env_var", "oauth"}
)

// updated returns an entry of this program with what a new one has. What the user added stays:
// further keys and arguments, and the values of variables.
func (h *Host) updated(entry *config.Data, fresh *config.Data, l Launch) *config.Data {
	d := &h.entry
	other := remoteKeys
	if l.URL != "" {
		other = localKeys
	}
	for _, key := range other {
		if fresh.Get(d.name(key)) == nil {
			entry = entry.With(d.name(key), nil)
		}
	}
	if kind, has := textOf(entry.Get("type")); has && (kind == "stdio" || kind == "local") != (l.URL == "") && fresh.Get("type") == nil {
		entry = entry.With("type", nil)
	}
	if l.URL != "" && d.httpURL != "" {
		entry = entry.With(d.name("url"), nil) // of another transport
	}
	if env := entry.Get(d.name("env")); env != nil && env.Kind == config.KindObject {
		clean := env
		for _, o := range l.Optional { // a reference of an earlier version would hide the default
			if text, _ := textOf(clean.Get(o.Name)); d.reference != "" && text == d.referenceTo(o.Name) && text != d.optionalTo(o) {
				clean = clean.With(o.Name, nil)
			}
		}
		if entry = entry.With(d.name("env"), clean); len(clean.Keys) == 0 && len(env.Keys) > 0 {
			entry = entry.With(d.name("env"), nil)
		}
	}
	for i, key := range fresh.Keys {
		name, item := key.Value, fresh.Items[i]
		before := entry.Get(name)
		switch {
		case before == nil, isNull(before):
		case name == d.name("command") && d.isList() && len(before.Items) > 0:
			words := mergedArgs(before.Items[1:], item.Items[1:])
			item = &config.Data{Kind: config.KindArray, Items: append([]*config.Data{item.Items[0]}, words...)}
		case name == d.name("args") && !d.isList():
			item = &config.Data{Kind: config.KindArray, Items: mergedArgs(before.Items, item.Items)}
		case name == d.name("env") && before.Kind == config.KindObject:
			item = withMissing(before, item)
		case name == d.name("env_vars") && before.Kind == config.KindArray:
			missing := slices.DeleteFunc(slices.Clone(item.Items), func(d *config.Data) bool {
				return slices.ContainsFunc(before.Items, func(b *config.Data) bool { return same(b, d) || same(b.Get("name"), d) })
			})
			item = &config.Data{Kind: config.KindArray, Items: slices.Concat(before.Items, missing)}
		case name == d.calls, name == "enabled", name == "name", name == "description":
			item = before
		}
		entry = entry.With(name, item)
	}
	return entry
}

// withMissing returns an object with the keys of another one that it lacks.
func withMissing(object, other *config.Data) *config.Data {
	for i, key := range other.Keys {
		if object.Get(key.Value) == nil {
			object = object.With(key.Value, other.Items[i])
		}
	}
	return object
}

// mergedArgs returns the arguments of an entry with other values of the flags of the new ones, and
// those of their flags without a value that it lacks. Arguments without -g are not understood, and replaced.
func mergedArgs(old, fresh []*config.Data) []*config.Data {
	find := func(words []*config.Data, flag string) int {
		return slices.IndexFunc(words, func(d *config.Data) bool { return d.Scalar == flag })
	}
	if find(old, "-g") < 0 {
		return fresh
	}
	merged := slices.Clone(old)
	for _, flag := range []string{"-g", "-m"} {
		at, from := find(merged, flag), find(fresh, flag)
		switch {
		case from < 0 && at < 0:
		case from < 0:
			merged = slices.Delete(merged, at, min(at+2, len(merged)))
		case at < 0:
			merged = append(merged, fresh[from:from+2]...)
		case at+1 == len(merged):
			merged = append(merged, fresh[from+1])
		default:
			merged[at+1] = fresh[from+1]
		}
	}
	for _, word := range fresh {
		if flag, _ := word.Scalar.(string); strings.HasPrefix(flag, "--") && find(merged, flag) < 0 {
			merged = append(merged, word)
		}
	}
	return merged
}
