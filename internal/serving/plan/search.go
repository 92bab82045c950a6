package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/serving/server"
)

// shownDescription is how much of a description counts and is shown, in characters, so that a long one does not help.
const shownDescription = 300

// found is a tool that plans may call.
type entry struct {
	server string // empty: of the file
	tool   Listed
	effect config.Effect
	asks   bool
	input  []byte // schema
	output []byte
}

func (e *entry) name() string {
	if e.server == "" {
		return e.tool.Name
	}
	return e.server + "." + e.tool.Name
}

// SearchTool returns search_tools. servers lists what can be called, and beliefs says what of it the user is asked about.
func (t *Tool) SearchTool(servers Servers, beliefs func(context.Context) Beliefs) (server.Tool, error) {
	def, err := searchDefinition(t.Graph.Tool.Pos)
	if err != nil {
		return server.Tool{}, err
	}
	return server.Tool{Def: def, Run: func(ctx context.Context, args value.Value, _ server.Watch) (server.Answer, error) {
		text := t.search(ctx, args, servers, beliefs(ctx))
		return server.Answer{Notice: &server.Notice{Texts: []string{text}}}, nil
	}}, nil
}

const (
	usualLimit = 10
	mostNames  = 20
)

// search answers a search.
func (t *Tool) search(ctx context.Context, args value.Value, servers Servers, b Beliefs) string {
	query, names, limit := "", []string(nil), usualLimit
	if object, isObject := value.ObjectOf(args); isObject {
		v, _ := object.Get("query")
		query, _ = v.(string)
		if v, _ := object.Get("limit"); v != nil {
			if n, isNumber := v.(float64); isNumber {
				limit = int(n)
			}
		}
		v, _ = object.Get("names")
		list, _ := v.([]any)
		for _, item := range list {
			if name, isText := item.(string); isText {
				names = append(names, name)
			}
		}
	}
	all, problems := t.entries(ctx, servers, b)
	var out strings.Builder
	switch {
	case len(names) > 0:
		writeWhole(&out, all, names[:min(len(names), mostNames)])
	case strings.TrimSpace(query) == "":
		t.writeServers(&out, all)
	default:
		ranked := rank(all, query)
		for _, e := range ranked[:min(len(ranked), limit)] {
			out.WriteString(signature(e) + "\n")
		}
		if len(ranked) == 0 {
			out.WriteString("no tool has these words; call " + config.SearchTools + " without query to see the servers\n")
		} else if more := len(ranked) - limit; more > 0 {
			fmt.Fprintf(&out, "(%s with these words; raise limit, or ask more exactly)\n", wording.Count(more, "more tool"))
		}
	}
	for _, p := range problems {
		out.WriteString(p + "\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// entries returns all tools that plans may call, and what keeps others from being known.
func (t *Tool) entries(ctx context.Context, servers Servers, b Beliefs) (all []*entry, problems []string) {
	k := newKnown(ctx, servers, t)
	for _, g := range t.graphs {
		if !slices.Contains(t.callable.Tools, g.Tool.Name.Value) {
			continue
		}
		calls := Planned{Effect: worst(g, b)}
		e := &entry{tool: Listed{Name: g.Tool.Name.Value, Description: g.Tool.Description.Value}, effect: calls.Effect, asks: t.rules.Confirms(calls.Effect)}
		if g.Tool.InputSchema != nil {
			e.input = g.Tool.InputSchema.JSON()
		}
		if g.Tool.OutputSchema != nil {
			e.output = g.Tool.OutputSchema.JSON()
		}
		if t.rules.PermitsEffect(e.effect) {
			all = append(all, e)
		}
	}
	for _, u := range t.file.Servers {
		name := u.Name.Value
		list, known := k.list(name)
		if !known {
			problems = append(problems, fmt.Sprintf("(the tools of %s are not known: %s)", wording.OneLine(name), wording.Foreign(wording.Truncate(k.failed[name].Error(), shownDescription))))
		}
		for _, l := range list {
			effect := b.Effect(name, l.Name)
			if t.rules.PermitsEffect(effect) {
				all = append(all, &entry{server: name, tool: l, effect: effect, asks: t.rules.Confirms(effect), input: l.InputSchema, output: l.OutputSchema})
			}
		}
	}
	return all, problems
}

// writeServers lists the servers, with how many tools they have and the names of some.
func (t *Tool) writeServers(out *strings.Builder, all []*entry) {
	count := map[string]int{}
	names := map[string][]string{}
	var order []string
	for _, e := range all {
		if count[e.server]++; count[e.server] == 1 {
			order = append(order, e.server)
		}
		const shown = 8
		if len(names[e.server]) < shown {
			names[e.server] = append(names[e.server], wording.Foreign(wording.OneLine(e.tool.Name)))
		}
	}
	for _, server := range order {
		who := server
		if server == "" {
			who = "this server itself"
		}
		fmt.Fprintf(out, "%s: %s: %s", who, wording.Count(count[server], "tool"), strings.Join(names[server], ", "))
		if more := count[server] - len(names[server]); more > 0 {
			fmt.Fprintf(out, " and %d more", more)
		}
		out.WriteString("\n")
	}
}

// writeWhole writes the whole definitions of tools. What a server says is in quotes.
func writeWhole(out *strings.Builder, all []*entry, names []string) {
	for _, name := range names {
		i := slices.IndexFunc(all, func(e *entry) bool { return e.name() == name })
		if i < 0 {
			known := make([]string, len(all))
			for i, e := range all {
				known[i] = e.name()
			}
			fmt.Fprintf(out, "%s: unknown%s\n", wording.Quote(name), wording.Suggest(name, known))
			continue
		}
		e := all[i]
		out.WriteString(signature(e) + "\n")
		fmt.Fprintf(out, "input: %s\n", orAny(e.input))
		if len(e.output) == 0 && len(e.tool.Seen) > 0 {
			fmt.Fprintf(out, "output: unknown; seen so far: %s\n", orAny(e.tool.Seen))
			continue
		}
		fmt.Fprintf(out, "output: %s\n", orAny(e.output))
	}
}

func orAny(schema []byte) string {
	if len(schema) == 0 {
		return "unknown"
	}
	return wording.Foreign(string(schema))
}
