package expose

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// Listing is what a server has beside tools, as it lists it.
type Listing struct{ Prompts, Resources, Templates []json.RawMessage }

// Entry is a prompt, a resource or a template of resources, as clients get it.
type Entry struct {
	Server string
	ID     string // the name of a prompt at its server, a URI, or a URI template
	JSON   []byte // for clients, without secrets
}

// Passed returns the prompts, resources and templates that clients get of the servers of a file, as these list them, in
// the order in which expose has the servers. Of two with one name, or URI, the first is there, and skipped is called for
// the other one.
func Passed(file *config.File, listed map[string]Listing, skipped func(server, why string)) (prompts map[string]Entry, order []string, resources, templates []Entry) {
	prompts = map[string]Entry{}
	uris, shapes := map[string]string{}, map[string]string{}
	seen := map[config.Passed]bool{}
	for _, p := range file.Passes {
		name := p.Server.Value
		is := config.Passed{Server: config.Text{Value: name}, Prompts: p.Prompts, Resources: p.Resources}
		if seen[is] {
			continue
		}
		seen[is] = true
		if p.Prompts {
			for _, raw := range listed[name].Prompts {
				e, exposed := promptOf(file, name, raw)
				other, known := prompts[exposed]
				switch {
				case e.ID == "" || known && other.Server == name:
				case known:
					skipped(name, fmt.Sprintf("prompt %s.%s is left out: it has the name of %s.%s for clients", name, e.ID, other.Server, other.ID))
				default:
					prompts[exposed], order = e, append(order, exposed)
				}
			}
		}
		if p.Resources {
			resources = addResources(file, resources, uris, name, "uri", listed[name].Resources, skipped)
			templates = addResources(file, templates, shapes, name, "uriTemplate", listed[name].Templates, skipped)
		}
	}
	return prompts, order, resources, templates
}

// addResources adds the entries of a server whose addresses no other server has.
func addResources(file *config.File, all []Entry, owners map[string]string, name, address string, listed []json.RawMessage, skipped func(server, why string)) []Entry {
	for _, raw := range listed {
		members, line := entryOf(file, raw)
		uri, _ := member(members, address).(string)
		if uri == "" {
			continue
		}
		switch owner, known := owners[uri]; {
		case known && owner != name:
			skipped(name, fmt.Sprintf("resource %s is left out: it is that of server %q for clients", uri, owner))
		case !known:
			owners[uri] = name
			all = append(all, Entry{Server: name, ID: uri, JSON: line})
		}
	}
	return all
}

// promptOf returns a prompt, and its name for clients.
func promptOf(file *config.File, server string, raw []byte) (e Entry, exposed string) {
	members, _ := entryOf(file, raw)
	object, is := members.(value.Object)
	name, _ := member(members, "name").(string)
	if !is || name == "" {
		return Entry{}, ""
	}
	exposed = config.ExposedName(server, name)
	values := make([]value.Value, 0, object.Len())
	for _, key := range object.Keys() {
		v, _ := object.Get(key)
		if key == "name" {
			v = exposed
		}
		values = append(values, v)
	}
	line, err := value.Encode(value.NewObject(object.Keys(), values))
	if err != nil {
		return Entry{}, ""
	}
	return Entry{Server: server, ID: name, JSON: line}, exposed
}

// entryOf returns an entry without secrets, as a value and in one line; nil for one that is no object, or too large.
func entryOf(file *config.File, raw []byte) (members value.Value, line []byte) {
	if len(raw) > mostDefinition {
		return nil, nil
	}
	safe := file.Secrets.RedactJSON(raw)
	members, err := value.Decode(safe)
	var b bytes.Buffer
	if _, is := members.(value.Object); err != nil || !is || json.Compact(&b, safe) != nil {
		return nil, nil
	}
	return members, b.Bytes()
}

func member(of value.Value, key string) value.Value {
	if o, is := of.(value.Object); is {
		v, _ := o.Get(key)
		return v
	}
	return nil
}

// Matches reports whether a URI can be one of a URI template (RFC 6570): each expression in braces stands for any text.
func Matches(template, uri string) bool {
	var pattern strings.Builder
	for rest := template; ; {
		before, after, open := strings.Cut(rest, "{")
		pattern.WriteString(regexp.QuoteMeta(before))
		if !open {
			break
		}
		_, rest, open = strings.Cut(after, "}")
		if !open {
			return false
		}
		pattern.WriteString("(?s:.*)")
	}
	matched, err := regexp.MatchString("^"+pattern.String()+"$", uri)
	return err == nil && matched
}
