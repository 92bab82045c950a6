// Package proposal makes a tool of a plan that was run: the steps of its request and its result go in, with which literals
// become arguments; the definition of a tool comes out, and the arguments with which it does the same. It reads and runs
// nothing.
package proposal

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
)

// Plan is a plan that was run.
type Plan struct {
	Request value.Value // the arguments of run_plan
	Result  value.Value // nil: none
}

// Argument says which literal of a plan becomes an argument.
type Argument struct{ Name, Path string }

// Proposal is a tool for what a plan did.
type Proposal struct {
	Tool    *config.Data
	Args    *config.Data // the arguments with which it does what the plan did; secrets are redacted
	Secrets []string     // the names of arguments that are secrets
}

// hidden is written in place of a secret.
const hidden = "[redacted]"

// New returns the tool for a plan, with a name and a description; "" for that of the plan, or one that says what it
// calls. Literals that look like secrets become arguments, too. The error names a path that the plan does not have.
func New(p Plan, name, description string, arguments []Argument) (*Proposal, error) {
	steps := member(p.Request, "steps")
	list, isList := steps.([]any)
	if !isList {
		return nil, errors.New("the run is not that of a plan: its arguments have no steps")
	}
	m := &maker{names: map[string]bool{}, args: config.NewObject(), properties: config.NewObject(), required: config.NewList(), wanted: map[string]string{}}
	for _, a := range arguments {
		if m.wanted[a.Path] != "" {
			return nil, fmt.Errorf("%s is given twice", a.Path)
		}
		m.wanted[a.Path] = a.Name
		if !argumentName().MatchString(a.Name) {
			return nil, fmt.Errorf("the argument %s has no plain name, expected letters, digits and _", wording.Quote(a.Name))
		}
	}
	data := m.list("steps", list, false)
	for _, a := range arguments {
		if m.wanted[a.Path] != "" {
			return nil, fmt.Errorf("the plan has no literal at %s among the args of its calls%s", a.Path, wording.Suggest(a.Path, m.paths))
		}
	}
	about, _ := member(p.Request, "description").(string)
	about = cmp.Or(description, about, "Calls "+wording.List(calls(list))+".")
	schema := config.NewObject().Set("type", "object").Set("properties", m.properties)
	if len(m.required.Items) > 0 {
		schema.Set("required", m.required)
	}
	tool := config.NewObject().Set("name", name).Set("description", about).Set("inputSchema", schema)
	if object, isObject := value.ObjectOf(p.Result); isObject {
		tool.Set("outputSchema", schemaOf(object, 1))
	}
	tool.Set("steps", data)
	if source, has := member(p.Request, "return").(string); has {
		tool.Set("return", source)
	}
	return &Proposal{Tool: tool, Args: m.args, Secrets: m.secrets}, nil
}

var argumentName = wording.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

// maker copies a plan, with arguments in place of literals.
type maker struct {
	wanted     map[string]string // names by path; empty once it is found
	names      map[string]bool
	paths      []string // of literals
	args       *config.Data
	properties *config.Data
	required   *config.Data
	secrets    []string
}

func (m *maker) list(path string, items []any, literal bool) *config.Data {
	out := config.NewList()
	for i, item := range items {
		out.Items = append(out.Items, m.value(path+"["+strconv.Itoa(i)+"]", "", item, literal))
	}
	return out
}

// value copies a value. literal says that it is sent as it is: it is among the args of a call.
func (m *maker) value(path, key string, v value.Value, literal bool) *config.Data {
	if source, isExpr := member(v, "expr").(string); isExpr && literal {
		return config.NewObject().Set("expr", source)
	}
	if literal {
		m.paths = append(m.paths, path)
		if name := m.wanted[path]; name != "" {
			m.wanted[path] = ""
			return m.argument(name, v, false)
		}
		if text, isText := v.(string); isText && text != "" && config.SecretName(key) {
			return m.argument(plain(key), v, true)
		}
	}
	if list, isList := v.([]any); isList {
		return m.list(path, list, literal)
	}
	object, isObject := value.ObjectOf(v)
	if !isObject {
		return scalar(v)
	}
	out := config.NewObject()
	for _, name := range object.Keys() {
		item, _ := object.Get(name)
		inArgs := literal || name == "args" && isStep(object)
		if name == "args" && isStep(object) { // the arguments themselves stay an object
			out.Set(name, m.members(path+".args", item))
			continue
		}
		out.Set(name, m.value(within(path, name), name, item, inArgs))
	}
	return out
}

func (m *maker) members(path string, v value.Value) *config.Data {
	out := config.NewObject()
	if object, isObject := value.ObjectOf(v); isObject {
		for _, name := range object.Keys() {
			item, _ := object.Get(name)
			out.Set(name, m.value(within(path, name), name, item, true))
		}
	}
	return out
}

func isStep(object value.Object) bool {
	_, has := object.Get("call")
	return has
}

// argument makes an argument of a literal, and returns what reads it.
func (m *maker) argument(name string, v value.Value, secret bool) *config.Data {
	base := name
	for i := 2; m.names[name]; i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	m.names[name] = true
	property := schemaOf(v, 1)
	if secret {
		m.secrets = append(m.secrets, name)
		m.args.Set(name, hidden)
	} else {
		m.args.Set(name, dataOf(v))
		if value.Size(v) <= longestExample {
			property.Set("examples", config.NewList(dataOf(v)))
		}
	}
	m.properties.Set(name, property)
	m.required.Items = append(m.required.Items, config.NewText(name))
	return config.NewObject().Set("expr", "args."+name)
}

const longestExample = 500 // bytes, as JSON

var notInNames = wording.Pattern(`[^A-Za-z0-9_]+`)

func plain(key string) string {
	name := strings.Trim(notInNames().ReplaceAllString(key, "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}

func within(path, key string) string {
	if argumentName().MatchString(key) || !strings.ContainsAny(key, `."[] `) && key != "" {
		return path + "." + key
	}
	return path + "[" + strconv.Quote(key) + "]"
}

// mostDepth is how deep a schema describes a value.
const mostDepth = 6

// schemaOf returns the schema of what was seen: types, the fields of objects, the items of lists that are alike.
func schemaOf(v value.Value, depth int) *config.Data {
	switch v := v.(type) {
	case string:
		return config.NewObject().Set("type", "string")
	case bool:
		return config.NewObject().Set("type", "boolean")
	case []any:
		list := config.NewObject().Set("type", "array")
		if len(v) == 0 || depth == mostDepth {
			return list
		}
		first := schemaOf(v[0], depth+1)
		same := !slices.ContainsFunc(v[1:], func(item any) bool { return string(schemaOf(item, depth+1).JSON()) != string(first.JSON()) })
		if same {
			return list.Set("items", first)
		}
		return list
	case float64:
		if v == float64(int64(v)) {
			return config.NewObject().Set("type", "integer")
		}
		return config.NewObject().Set("type", "number")
	}
	object, isObject := value.ObjectOf(v)
	if !isObject {
		return config.NewObject()
	}
	out := config.NewObject().Set("type", "object")
	if depth == mostDepth || object.Len() == 0 {
		return out
	}
	properties := config.NewObject()
	for _, key := range object.Keys() {
		item, _ := object.Get(key)
		properties.Set(key, schemaOf(item, depth+1))
	}
	return out.Set("properties", properties)
}

func scalar(v value.Value) *config.Data {
	if v == nil || v == value.Null {
		return &config.Data{}
	}
	return &config.Data{Scalar: v}
}

func dataOf(v value.Value) *config.Data {
	if items, isList := v.([]any); isList {
		list := config.NewList()
		for _, item := range items {
			list.Items = append(list.Items, dataOf(item))
		}
		return list
	}
	object, isObject := value.ObjectOf(v)
	if !isObject {
		return scalar(v)
	}
	out := config.NewObject()
	for _, key := range object.Keys() {
		item, _ := object.Get(key)
		out.Set(key, dataOf(item))
	}
	return out
}

func member(v value.Value, key string) value.Value {
	if object, isObject := value.ObjectOf(v); isObject {
		item, _ := object.Get(key)
		return item
	}
	return nil
}

// calls returns what the steps call, each once.
func calls(steps []any) (names []string) {
	for _, step := range steps {
		if name, has := member(step, "call").(string); has && !slices.Contains(names, name) {
			names = append(names, name)
		}
		if inner, isBlock := member(step, "steps").([]any); isBlock {
			for _, name := range calls(inner) {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// Calls returns what a plan calls, each once: SERVER.TOOL, or tools of its file.
func Calls(p Plan) []string {
	steps, _ := member(p.Request, "steps").([]any)
	return calls(steps)
}
