package graph

import (
	"fmt"
	"maps"
	"slices"

	"toolgraph/config"
	"toolgraph/expressions"
	"toolgraph/expressions/jsonata"
	"toolgraph/expressions/value"
)

// constants are those of one file, for the graphs of its tools.
type constants struct {
	file   *config.File
	values value.Object
	bound  map[string]value.Value // what expressions see of them: values as $vars
	read   map[string]bool        // by an expression of any of its tools
}

// constantsOf returns the constants of a file and of each of its imports that has some.
func constantsOf(f *config.File) map[*config.File]*constants {
	all := map[*config.File]*constants{}
	for _, source := range sourcesOf(f) {
		if len(source.Vars) == 0 {
			continue
		}
		object := Constants(source)
		all[source] = &constants{
			file: source, values: object, read: map[string]bool{}, bound: map[string]value.Value{expressions.VarVars: object},
		}
	}
	return all
}

// Constants returns the constants of a file without those of its imports: what $vars is in its
// expressions.
func Constants(f *config.File) value.Object {
	names, values := make([]string, len(f.Vars)), make([]value.Value, len(f.Vars))
	for i, v := range f.Vars {
		names[i] = v.Name.Value
		values[i], _ = value.Decode(v.Value.JSON()) // the JSON of Data is valid
	}
	object, _ := value.NewObject(names, values).(value.Object)
	return object
}

// readVar notes a read of $vars, and reports a constant that the file does not declare.
func (c *compiler) readVar(places *config.Places, v jsonata.Variable) {
	if c.constants == nil {
		return // package flow warns of a variable without a value
	}
	names := v.Path
	if len(names) == 0 { // it reads all of them
		names = c.constants.values.Keys()
	} else if names = names[:1]; c.constants.file.Var(names[0]) == nil {
		message, hint, near := c.constants.file.UnknownVar(names[0])
		c.found.Add(places.At(v.Offset), "unknown-var", message, hint).Fixed(replaceIn(places.Text, v.Offset+len("$vars"), names[0], near))
		return
	}
	for _, name := range names {
		c.varsRead[name], c.constants.read[name] = true, true
	}
}

// checkUnusedVars warns of constants that neither an expression nor a text reads. With an error in the
// file it is not known what reads them.
func checkUnusedVars(all map[*config.File]*constants, found *config.Diagnostics) {
	if found.Err() != nil {
		return
	}
	for _, c := range all {
		for _, v := range c.file.Vars {
			if !v.InText && !c.read[v.Name.Value] {
				found.Warn(v.Pos, "unused-var", fmt.Sprintf("nothing reads the constant %q", v.Name.Value), "remove it, or read it as $vars."+v.Name.Value).Over(v.Name).Fixed(config.RemoveKey(v.Pos))
			}
		}
	}
}

// Variables returns the variables that all expressions of the graph see: $vars, by its name without
// $; nil when the file has no constants. Those in recorded, an object as ReadVars returns it, go before
// the file's. The caller must not change the map.
func (g *Graph) Variables(recorded value.Value) map[string]value.Value {
	over, isObject := recorded.(value.Object)
	if !isObject || len(g.varsRead) == 0 {
		return g.bound
	}
	names := g.Vars.Keys()
	values := make([]value.Value, len(names))
	for i, name := range names {
		values[i], _ = g.Vars.Get(name)
		if slices.Contains(g.varsRead, name) {
			values[i] = g.varOf(name, over)
		}
	}
	return map[string]value.Value{expressions.VarVars: value.NewObject(names, values)}
}

// varOf returns the value of a constant: the one in over, if it has one, or else the file's. over may be nil.
func (g *Graph) varOf(name string, over value.Object) value.Value {
	if over != nil {
		if v, has := over.Get(g.varPrefix + name); has {
			return v
		}
	}
	v, _ := g.Vars.Get(name)
	return v
}

// ReadVars returns the constants that expressions of the graph and of those that it calls read, as an
// object; nil when they read none. Those of an imported file have its name and a dot before theirs.
// Values in recorded, which an earlier call has returned, go before the file's.
func (g *Graph) ReadVars(recorded value.Value) value.Value {
	over, isObject := recorded.(value.Object)
	if !isObject {
		return g.allVars
	}
	return g.readVars(over)
}

func (g *Graph) readVars(over value.Object) value.Value {
	values := map[string]value.Value{}
	for _, reached := range g.Reached() {
		for _, name := range reached.varsRead {
			values[reached.varPrefix+name] = reached.varOf(name, over)
		}
	}
	if len(values) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(values))
	sorted := make([]value.Value, len(names))
	for i, name := range names {
		sorted[i] = values[name]
	}
	return value.NewObject(names, sorted)
}

// unsureVars returns the constants whose fields may have other names than those that are read.
func unsureVars(f *config.File) (names []string) {
	for _, v := range f.Vars {
		if v.Value.HasBareKey() {
			names = append(names, v.Name.Value)
		}
	}
	return names
}

// IsUnsure reports whether the fields of a constant may have other names than those that are read:
// package config reports such a key.
func (g *Graph) IsUnsure(name string) bool { return slices.Contains(g.unsure, name) }
