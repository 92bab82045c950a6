package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

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
		fmt.Fprintf(out, "output: %s\n", orAny(e.output))
	}
}

func orAny(schema []byte) string {
	if len(schema) == 0 {
		return "unknown"
	}
	return wording.Foreign(string(schema))
}

// terms are the words of a text that count, in lower case and without endings.
func terms(text string) (all []string) {
	var word []rune
	flush := func() {
		if w := strings.ToLower(string(word)); w != "" && !common()[w] {
			all = append(all, stem(w))
		}
		word = word[:0]
	}
	var before rune
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && unicode.IsLower(before): // camelCase
			flush()
			word = append(word, r)
		default:
			word = append(word, r)
		}
		before = r
	}
	flush()
	return all
}

// stem takes the commonest endings off an English word: files, listed and listing are file, list and list.
func stem(w string) string {
	if strings.ContainsFunc(w, func(r rune) bool { return r > unicode.MaxASCII }) {
		return w
	}
	for _, ending := range []string{"ies", "ing", "ed", "es", "s"} {
		if base, has := strings.CutSuffix(w, ending); has && len(base) >= 3 {
			switch {
			case ending == "ies":
				return base + "y"
			case ending == "s" && strings.HasSuffix(base, "s"):
				return w
			case ending == "es" && !strings.HasSuffix(base, "s") && !strings.HasSuffix(base, "x") && !strings.HasSuffix(base, "ch") && !strings.HasSuffix(base, "sh"):
				w = base + "e"
			default:
				w = base
			}
			break
		}
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("aeiouls", rune(w[n-1])) { // committing, commit
		w = w[:n-1]
	}
	if len(w) > 3 { // save, saving
		w = strings.TrimSuffix(w, "e")
	}
	return w
}

// common are words that say nothing of a tool.
var common = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields("a an and are as at be by can do for from how i in into is it its me my of on or that the their them this to use used what when where which with you your") {
		words[w] = true
	}
	return words
})

// The weights of the places of a word.
const (
	inName        = 5.0
	inDescription = 2.0
	inArguments   = 1.0
	inServer      = 2.0
)

// rank returns the tools that have a word of a query, the best first. A word counts the more the fewer tools have it, once
// for each place; a longer text counts less, so that a description with all words of the dictionary does not help.
func rank(all []*entry, query string) []*entry {
	asked := terms(query)
	if len(asked) == 0 {
		return nil
	}
	type document struct {
		weight map[string]float64
		length float64
	}
	docs := make([]document, len(all))
	have := map[string]float64{}
	total := 0.0
	for i, e := range all {
		d := document{weight: map[string]float64{}}
		add := func(text string, weight float64) {
			seen := map[string]bool{}
			for _, w := range terms(text) {
				d.length++
				if !seen[w] {
					seen[w] = true
					d.weight[w] += weight
				}
			}
		}
		add(e.tool.Name, inName)
		add(e.server, inServer)
		add(wording.Truncate(e.tool.Description, shownDescription), inDescription)
		for _, name := range argumentNames(e.input) {
			add(name, inArguments)
		}
		for w := range d.weight {
			have[w]++
		}
		total += d.length
		docs[i] = d
	}
	average := max(total/float64(max(len(all), 1)), 1)
	type scored struct {
		e     *entry
		score float64
	}
	var hits []scored
	for i, e := range all {
		score := 0.0
		for _, w := range asked {
			score += match(docs[i].weight, have, w, float64(len(all))) / (0.6 + 0.4*docs[i].length/average)
		}
		if score > 0 {
			hits = append(hits, scored{e, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b scored) int {
		return cmp.Compare(b.score, a.score)
	})
	ranked := make([]*entry, len(hits))
	for i, h := range hits {
		ranked[i] = h.e
	}
	return ranked
}
