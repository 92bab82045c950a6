package names

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// mostCassette is the largest cassette that is read, in bytes.
const mostCassette = 32 << 20

// cassette reads recorded calls: the tool of each run, and the nodes, servers and tools of its calls.
func (r *reader) cassette(f *file) {
	if len(f.src) > mostCassette {
		r.unread = append(r.unread, f.path)
		return
	}
	c := cassetteReader{reader: r, file: f, dec: json.NewDecoder(bytes.NewReader(f.src))}
	if c.value("") != nil {
		r.unread = append(r.unread, f.path)
		return
	}
	for i, run := range c.runs {
		var of *tool
		if run.tool.Name.Name != "" {
			parts, t := r.toolNamed(f.graph, run.tool.Name.Name, 0)
			of = t
			c.add(run.tool, parts)
		}
		for _, node := range run.nodes {
			parts := r.nodeNamed(f.graph, of, node.Name.Name)
			if of == nil {
				for _, name := range sortedKeys(f.graph.tools) {
					parts = append(parts, r.nodeNamed(f.graph, f.graph.tools[name], node.Name.Name)...)
				}
			}
			c.add(node, parts)
		}
		for _, call := range c.runs[i].calls {
			c.add(call.server, r.serverNamed(f.graph, call.server.Name.Name, 0))
			if graph, name := r.serverOf(f.graph, call.server.Name.Name); call.tool.Name.Name != "" {
				n := Name{Kind: ServerTool, File: graph.path, In: name, Name: call.tool.Name.Name}
				c.add(call.tool, []segment{{n, 0, len(n.Name)}})
			}
		}
	}
}

// cassetteReader finds the texts of a cassette that are names.
type cassetteReader struct {
	*reader
	file *file
	dec  *json.Decoder
	runs []cassetteRun
}

// cassetteRun has the texts of a run; their segments are places in the file.
type cassetteRun struct {
	tool  segment
	nodes []segment
	calls []cassetteCall
}

type cassetteCall struct{ server, tool segment }

// add adds the parts of a text of the cassette. One with escapes has no names.
func (c *cassetteReader) add(of segment, parts []segment) {
	if of.to-of.from != len(of.Name.Name) {
		return
	}
	for _, part := range parts {
		c.all = append(c.all, Occurrence{Name: part.Name, Path: c.file.path, From: of.from + part.from, To: of.from + part.to, form: inJSON})
	}
}

// value reads the value at a path of keys; list items have the key [].
func (c *cassetteReader) value(path string) error {
	before := c.dec.InputOffset()
	token, err := c.dec.Token()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case json.Delim:
		return c.inside(path, token)
	case string:
		end := int(c.dec.InputOffset())
		skipped := int(before) + strings.IndexByte(string(c.file.src[before:end]), '"')
		c.text(path, segment{Name{Name: token}, skipped + 1, end - 1})
	}
	return nil
}

func (c *cassetteReader) inside(path string, open json.Delim) error {
	for i := 0; c.dec.More(); i++ {
		key := "[]"
		if open == '{' {
			token, err := c.dec.Token()
			if err != nil {
				return err
			}
			key, _ = token.(string)
		}
		switch path + "." + key {
		case ".runs.[]":
			c.runs = append(c.runs, cassetteRun{})
		case ".runs.[].calls.[]":
			run := &c.runs[len(c.runs)-1]
			run.calls = append(run.calls, cassetteCall{})
		}
		if strings.Count(path, ".") > 5 { // inside arguments and results
			path = strconv.Itoa(len(path))
		}
		if err := c.value(path + "." + key); err != nil {
			return err
		}
	}
	_, err := c.dec.Token()
	return err
}

func (c *cassetteReader) text(path string, at segment) {
	rest, ok := strings.CutPrefix(path, ".runs.[].")
	if !ok {
		return
	}
	run := &c.runs[len(c.runs)-1]
	switch rest {
	case "graphTool":
		run.tool = at
	case "calls.[].node", "steps.[].node":
		run.nodes = append(run.nodes, at)
	case "calls.[].server":
		run.calls[len(run.calls)-1].server = at
	case "calls.[].tool":
		run.calls[len(run.calls)-1].tool = at
	}
}
