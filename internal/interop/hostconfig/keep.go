package hostconfig

import (
	"maps"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/project/registry"
)

// keep returns the reference to a variable for a whole value of env or headers, which stays in the host's file.
func (e *entryReader) keep(text config.Text, of holder) string {
	prefix := of.prefix
	if own := variableName(e.name) + "_"; !SecretName(of.name) && !strings.HasPrefix(variableName(of.name), own) {
		prefix = e.name // a variable such as PATH would change more than this server
	}
	base := variableName(prefix, strings.TrimPrefix(strings.ToLower(of.name), "x-"))
	if strings.EqualFold(of.name, "authorization") {
		base = variableName(prefix, "token")
	}
	name := e.free(base, text.Value)
	e.values[name] = text.Value
	return "${" + name + "}"
}

// written is written for parts of which the variables have values in the host's file.
func (e *entryReader) written(parts []piece, pos config.Pos) (string, error) {
	for _, p := range parts {
		if !e.opts.Keep || p.variable == "" {
			continue
		}
		if before, has := e.values[p.variable]; has && before != p.source {
			e.leave(pos, "its variable %s has another value in another place of the file", p.variable)
			continue
		}
		e.values[p.variable] = p.source
	}
	return written(parts)
}

// variable is a reference in a text of a registry.
var variable = wording.Pattern(`(^|[^$])\$\{([A-Za-z_][A-Za-z0-9_]*)`)

// variablesOf returns the variables of an entry whose values stay in the host's file, and those that the host passes on
// from its own environment. It leaves a server whose host cannot do that in an entry of this program.
func (e *entryReader) variablesOf(entry *registry.Definition) (values []Setting, passed []string) {
	names := map[string]bool{}
	add := func(text string) {
		for _, m := range variable().FindAllStringSubmatch(text, -1) {
			names[m[2]] = true
		}
	}
	for _, settings := range []map[string]string{entry.Env, entry.Headers} {
		for _, text := range settings {
			add(text)
		}
	}
	for _, text := range append([]string{entry.URL, entry.Cwd}, entry.Args...) {
		add(text)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if text, has := e.values[name]; has {
			values = append(values, Setting{name, text})
			continue
		}
		switch {
		case e.host.entry.reference == "":
			passed = append(passed, name)
		case e.host.forms.editor:
			values = append(values, Setting{name, "${env:" + name + "}"})
		case e.host.entry.reference != placeholder:
			values = append(values, Setting{name, e.host.entry.referenceTo(name)})
		default:
			e.leave(config.Pos{}, "it takes %s from the environment of %s, which no other entry can pass on", name, e.host.Title)
		}
	}
	return values, passed
}

// onlyKeys name the only tools of a server that a host uses, notKeys those that it does not use.
var (
	onlyKeys = []string{"enabled_tools", "includeTools", "available_tools", "tools"}
	notKeys  = []string{"disabled_tools", "disabledTools", "excludeTools"}
)

// limits returns the only tools of the server that the host uses, nil for all. It leaves a server that is limited in
// another way.
func (e *entryReader) limits() (only []string) {
	for _, key := range onlyKeys {
		d := e.data.Get(key)
		if d == nil || d.Kind != config.KindArray {
			continue
		}
		e.read = append(e.read, key)
		names := []string{}
		for _, item := range d.Items {
			name, _ := textOf(item)
			stem, open := strings.CutSuffix(name, "*")
			switch {
			case open && stem == "":
				names = nil
			case name == "" || strings.ContainsAny(stem, "*?(["):
				e.leave(item.Pos, "its %s has %s, which plans cannot say", key, wording.Quote(name))
			}
			if names == nil {
				break
			}
			names = append(names, name)
		}
		if names != nil {
			only = names
		}
	}
	for _, key := range notKeys {
		if d := e.data.Get(key); d != nil && len(d.Items) > 0 {
			e.leave(d.Pos, "its %s excludes tools, which plans cannot say", key)
		}
	}
	return only
}
