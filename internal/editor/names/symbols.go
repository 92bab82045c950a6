package names

import (
	"sort"
	"strings"

	"toolgraph/config"
)

// Symbol is a part of a file that has a name.
type Symbol struct {
	Name, Detail     string
	Kind             Kind
	From, To         int // bytes of the part
	NameFrom, NameTo int // bytes of its name, inside
	Children         []Symbol
}

// Test is the kind of a Symbol for a test or a case of one.
const Test Kind = "test"

// Symbols returns the symbols of a graph file, a test file or a lock, in order. It is not ok when the text
// cannot be read.
func Symbols(path string, src []byte) (symbols []Symbol, ok bool) {
	root, _ := config.ParseWritten(path, src)
	if root == nil {
		return nil, false
	}
	s := outline{spans: spans{src: src, lines: config.LinesOf(src)}}
	all := region{root, 0, s.trimmed(0, len(src))}
	switch {
	case root.Get("tests") != nil && root.Get("tools") == nil:
		for _, test := range s.items(all, "tests") {
			symbol := s.named(test, text(test.data, "name"), Test, word(test.data, "tool"))
			for _, one := range s.items(test, "cases") {
				symbol.Children = s.append(symbol.Children, s.named(one, text(one.data, "name"), Test, ""))
			}
			symbols = s.append(symbols, symbol)
		}
	case root.Get("tools") != nil || root.Get("server") != nil:
		symbols = s.graph(all)
	default:
		for _, server := range s.pairs(all, "servers") {
			symbol := s.named(server.region, server.key, Server, word(server.data, "identity"))
			for _, tool := range s.pairs(server.region, "tools") {
				symbol.Children = s.append(symbol.Children, s.named(tool.region, tool.key, ServerTool, ""))
			}
			symbols = s.append(symbols, symbol)
		}
	}
	return symbols, true
}

func (s *outline) graph(all region) (symbols []Symbol) {
	for _, key := range []struct {
		name string
		kind Kind
	}{{"vars", Var}, {"imports", Import}, {"mcpServers", Server}, {"servers", Server}} {
		for _, p := range s.pairs(all, key.name) {
			symbol := s.named(p.region, p.key, key.kind, word(p.data, "type")) // no values, which may be secret
			if key.kind == Server {
				for _, program := range s.pairs(p.region, "tools") {
					symbol.Children = s.append(symbol.Children, s.named(program.region, program.key, ServerTool, "program"))
				}
			}
			symbols = s.append(symbols, symbol)
		}
	}
	for _, t := range s.items(all, "tools") {
		symbol := s.named(t, text(t.data, "name"), Tool, "")
		symbol.Children = s.nodes(t)
		symbols = s.append(symbols, symbol)
	}
	symbols = append(symbols, s.nodes(all)...)
	sort.SliceStable(symbols, func(i, j int) bool { return symbols[i].From < symbols[j].From })
	return symbols
}

func (s *outline) nodes(of region) (symbols []Symbol) {
	for _, n := range s.items(of, "nodes") {
		symbol := s.named(n, text(n.data, "id"), Node, calls(n.data))
		for _, b := range s.pairs(n, "branches") {
			symbol.Children = s.append(symbol.Children, s.named(b.region, b.key, Branch, calls(b.data)))
		}
		symbols = s.append(symbols, symbol)
	}
	for _, n := range s.items(of, "steps") {
		symbol := s.named(n, text(n.data, "id"), Node, does(n.data))
		symbol.Children = s.nodes(n)
		symbols = s.append(symbols, symbol)
	}
	return symbols
}

// does says what a step does, as each call files.read.
func does(step *config.Data) (what string) {
	for _, key := range []string{"call", "expr", "ask", "steps"} {
		if step.Get(key) != nil {
			what = strings.TrimSpace(key + " " + word(step, "call"))
		}
	}
	if step.Get("each") != nil {
		what = "each " + what
	}
	return what
}

// calls says what a node does, as mcp files.read.
func calls(n *config.Data) string {
	kind, called := word(n, "type"), word(n, "tool")
	if server := word(n, "server"); server != "" {
		called = server + "." + called
	}
	return strings.TrimSpace(kind + " " + called)
}

// append adds a symbol that has a name.
func (s *outline) append(to []Symbol, symbol Symbol) []Symbol {
	if symbol.Name == "" {
		return to
	}
	return append(to, symbol)
}

// named returns the symbol of a part whose name is a text in it.
func (s *outline) named(of region, name config.Text, kind Kind, detail string) Symbol {
	from, to, ok := name.Range(0, len(name.Value))
	if !ok || name.Value == "" || from < of.from || to > of.to { // an alias: the name is elsewhere
		return Symbol{}
	}
	return Symbol{Name: name.Value, Detail: detail, Kind: kind, From: of.from, To: of.to, NameFrom: from, NameTo: to}
}

// outline finds the bytes of the parts of a file.
type outline struct{ spans }

// region is a part of a file and its bytes, its key included.
type region struct {
	data     *config.Data
	from, to int
}

type pair struct {
	region

	key config.Text
}

// items returns the parts of the list under a key of a part.
func (s *outline) items(of region, key string) (parts []region) {
	for _, p := range s.parts(of) {
		if p.key.Value == key && p.data.Kind == config.KindArray {
			for _, item := range s.parts(p.region) {
				parts = append(parts, item.region)
			}
		}
	}
	return parts
}

// pairs returns the parts of the mapping under a key of a part.
func (s *outline) pairs(of region, key string) []pair {
	for _, p := range s.parts(of) {
		if p.key.Value == key && p.data.Kind == config.KindObject {
			return s.parts(p.region)
		}
	}
	return nil
}

// parts returns the items of a list or mapping. Each ends where the next one begins, without the lines
// above that. What an alias stands for is elsewhere, and is left out.
func (s *outline) parts(of region) (parts []pair) {
	d := of.data
	for i, item := range d.Items {
		p := pair{region: region{data: item, from: s.at(item.Pos)}}
		if d.Kind == config.KindObject {
			p.key = d.Keys[i]
			p.from = s.at(p.key.Pos)
		}
		if p.from >= of.from && p.from < of.to {
			parts = append(parts, p)
		}
	}
	sort.SliceStable(parts, func(i, j int) bool { return parts[i].from < parts[j].from })
	for i := range parts {
		end := of.to
		if i+1 < len(parts) {
			end = parts[i+1].from
		}
		parts[i].to = s.trimmed(parts[i].from, end)
	}
	return parts
}

// spans finds the bytes of places.
type spans struct {
	src   []byte
	lines config.Lines
}

// at returns the byte of a place.
func (s *spans) at(p config.Pos) int { return s.lines.Offset(p) }

// trimmed returns the end of a part without what belongs to the next one: blanks, a comma, a dash, and
// lines that are comments.
func (s *spans) trimmed(from, to int) int {
	for {
		body := strings.TrimRight(string(s.src[from:to]), " \t\r\n")
		if cut, ok := strings.CutSuffix(body, "-"); ok && (cut == "" || strings.ContainsAny(cut[len(cut)-1:], " \n")) {
			body = cut
		} else if line := strings.LastIndexByte(body, '\n') + 1; line > 0 && strings.HasPrefix(strings.TrimLeft(body[line:], " \t"), "#") {
			body = body[:line]
		} else if cut, ok := strings.CutSuffix(body, ","); ok {
			return from + len(strings.TrimRight(cut, " \t\r\n"))
		} else {
			return from + len(body)
		}
		to = from + len(body)
	}
}

// Around returns the parts of a file that a byte is in, from the innermost out, as pairs of bytes.
func Around(path string, src []byte, offset int) (parts [][2]int) {
	root, _ := config.ParseWritten(path, src)
	if root == nil {
		return nil
	}
	s := outline{spans: spans{src: src, lines: config.LinesOf(src)}}
	at := region{root, 0, s.trimmed(0, len(src))}
	for found := true; found; {
		parts = append(parts, [2]int{at.from, at.to})
		if value := s.at(at.data.Pos); value > at.from && value <= offset && value < at.to { // behind its key
			parts = append(parts, [2]int{value, at.to})
		}
		found = false
		for _, p := range s.parts(at) {
			if p.from <= offset && offset <= p.to {
				at, found = p.region, true
			}
		}
	}
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return parts
}
