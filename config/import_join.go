package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// join adds the tools and servers of an imported file to the graph file, with their prefix. Servers
// of a host's file that no node of the import calls are left out.
func (d *decoder) join(root *File) {
	f := d.file
	f.Servers = slices.DeleteFunc(f.Servers, func(u *Upstream) bool { return u.Name.Pos.File != d.path && !d.calls(u.Name.Value) })
	for _, u := range f.Servers {
		u.Prefix = f.Prefix
		f.qualify(&u.Name)
	}
	if f.Allow != nil {
		f.qualifyAll(f.Allow.Calls)
	}
	own := f.Limits
	var outer Limits // of the imports around it; those of the graph file hold for the whole run
	if around := d.importer; around.importer != nil {
		outer = around.file.Limits
	}
	f.Limits = outer.Narrowed(own)
	for _, t := range f.Tools {
		t.Hidden, t.Prompt, t.Limits = true, false, outer.Narrowed(own.Own(t.Limits))
		f.qualify(&t.Name)
		if t.Allow != nil {
			f.qualifyAll(t.Allow.Calls)
		}
		for _, n := range t.Nodes {
			for _, inner := range n.All() {
				f.qualifyNode(inner)
			}
		}
	}
	root.Tools, root.Servers = append(root.Tools, f.Tools...), append(root.Servers, f.Servers...)
}

// qualifyNode prefixes the names that a node refers to.
func (f *File) qualifyNode(n *Node) {
	//exhaustive:enforce
	switch n.Type {
	case MCPNode:
		f.qualify(&n.Server)
	case GraphNode:
		f.qualify(&n.Tool)
	case EntryNode, ParallelNode, StepsNode, AskNode, TransformNode, SwitchNode, ExitNode:
	}
}

// qualify prefixes a name. What is no name, which is reported later, stays as it is.
func (f *File) qualify(name *Text) {
	if name.Value != "" && !strings.HasPrefix(name.Value, "$") {
		*name = Text{Value: f.Prefix + name.Value, Pos: name.Pos}
	}
}

func (f *File) qualifyAll(names []Text) {
	for i := range names {
		f.qualify(&names[i])
	}
}

// shareProcesses lets each server of an import use the process, or the connection, of the first
// server that is defined alike. Those before own are of the graph file.
func shareProcesses(servers []*Upstream, own int) {
	if len(servers) == own {
		return
	}
	first := map[string]string{}
	for i, u := range servers {
		alike := *u
		alike.Name, alike.Prefix, alike.Timeout, alike.Trusted = Text{}, "", 0, false // these are of calls, not of the process
		key := fmt.Sprintf("%#v", withoutPlaces(reflect.ValueOf(alike)))
		switch name, seen := first[key]; {
		case !seen:
			first[key] = u.Name.Value
		case i >= own:
			u.Shares = name
		}
	}
}
