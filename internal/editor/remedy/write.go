package remedy

import (
	"bytes"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

var (
	aNumber   = wording.Pattern(`write (0o[0-7]+|[0-9]+)( or|, or|$)`)
	aPair     = wording.Pattern(`write ([A-Za-z]+): ("[^"]*"|[a-z]+)$`)
	backticks = wording.Pattern("write `([^`]+)` in backticks")
	say       = wording.Pattern(`(?:say|or say) ([A-Za-z]+): ([a-z]+)`)
	missing   = wording.Pattern(`add ([A-Za-z]+): (\S+)`)
	aNode     = wording.Pattern(`add (\{id: ([a-z]+), type: [a-z]+(?:, next: NODE)?\})`)
	bound     = wording.Pattern(`expected at (?:least|most) (\d+)`)
	notInName = wording.Pattern(`[^A-Za-z0-9_]+`)
	called    = wording.Pattern(`may not call ([^ ,:]+)(?:, whose effect is ([a-z]+))?: allow \(.*?:(\d+):(\d+)\)`)
)

// write writes what the remedy says.
func (p *proposer) write() {
	if m := aNumber().FindStringSubmatch(p.hint); m != nil {
		from, to := p.plain()
		p.propose("Write "+m[1], []config.Edit{{From: from, To: to, Text: m[1]}}, true)
	}
	if p.patch == nil {
		return
	}
	if m := aPair().FindStringSubmatch(p.hint); m != nil {
		p.propose("Write "+m[0][len("write "):], p.patch.SetKey(p.finding.Pos, m[1], m[2]), true)
		p.propose("Write "+m[0][len("write "):], p.patch.AddKey(p.finding.Pos, "", m[1], m[2]), true)
	}
	text := p.text()
	at := p.offsetIn(text)
	switch m := backticks().FindStringSubmatch(p.hint); {
	case at < 0 || !text.IsSet():
	case p.finding.Code == "literal-expression":
		if from, to, ok := text.Scalar(); ok {
			made := config.Inline(config.NewExpression(text.Value))
			p.propose("Make it an expression", []config.Edit{{From: from, To: to, Text: made}}, true)
		}
	case m != nil:
		from := max(0, at-len(m[1]))
		if i := strings.Index(text.Value[from:], m[1]); i >= 0 {
			p.edit("Write it in backticks", text, from+i, from+i+len(m[1]), "`"+m[1]+"`", true)
		}
	case strings.HasPrefix(p.hint, "write $ctx."):
		p.edit("Read it from the context", text, at, at, "$ctx.", true)
	case strings.Contains(p.hint, "write $${ for a literal ${"):
		p.edit("Write $${ for a literal ${", text, at, at, "$", true)
	}
}

// bounds writes the number that is the limit of a value that is beyond it.
func (p *proposer) bounds() {
	m := bound().FindStringSubmatch(p.finding.Message)
	if m == nil || !strings.HasSuffix(p.finding.Code, "-range") {
		return
	}
	from, to := p.plain()
	p.propose("Write "+m[1], []config.Edit{{From: from, To: to, Text: m[1]}}, false)
}

// another gives a name that is taken, or that cannot be one, another form in this place alone.
func (p *proposer) another() {
	t := p.text()
	if t.Value == "" || p.offsetIn(t) != 0 {
		return
	}
	name := t.Value
	switch {
	case strings.HasPrefix(p.hint, "rename one of them"), p.hint == "rename it" && p.finding.Code == "name-taken":
		name += "_2"
	case strings.HasSuffix(p.finding.Code, "-name") || p.finding.Code == "tool-name-portability":
		name = notInName().ReplaceAllString(name, "_")
	default:
		return
	}
	p.edit("Rename it to "+name, t, 0, len(t.Value), name, false)
}

// plain returns the bytes of the plain scalar at the place of the finding.
func (p *proposer) plain() (from, to int) {
	from = p.byteOf(p.finding.Pos)
	rest := string(p.src[from:])
	end := strings.IndexAny(rest, "\r\n,]}")
	if end < 0 {
		end = len(rest)
	}
	for _, stop := range []string{" #", ": "} {
		if i := strings.Index(rest[:end], stop); i >= 0 {
			end = i
		}
	}
	rest = strings.TrimSuffix(strings.TrimRight(rest[:end], " \t"), ":")
	return from, from + len(rest)
}

// quote puts the value at the place into quotes.
func (p *proposer) quote() {
	if !strings.Contains(p.hint, "quote") {
		return
	}
	if from, to := p.plain(); from < to && !strings.ContainsAny(string(p.src[from:from+1]), `"'`) {
		text := string(p.src[from:to])
		if _, rest, tagged := strings.Cut(text, " "); tagged && p.finding.Code == "tag" {
			p.propose("Remove the tag", []config.Edit{{From: from, To: to, Text: rest}}, true)
			return
		}
		p.propose("Quote it", []config.Edit{{From: from, To: to, Text: quoted(text)}}, true)
	}
	if p.finding.Code == "tag" {
		from := p.byteOf(p.finding.Pos)
		line := bytes.LastIndexByte(p.src[:from], '\n') + 1
		if i := bytes.LastIndexByte(p.src[line:from], '!'); i >= 0 {
			p.propose("Remove the tag", []config.Edit{{From: line + i, To: from}}, true)
		}
	}
}

func quoted(text string) string {
	if strings.ContainsAny(text, `"\`) {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	return `"` + text + `"`
}

// usual are values for keys that a file lacks, where one is as good as another.
var usual = map[string]string{"version": "1.0.0", "name": "tools", "message": "Continue?", "description": "What the tool does."}

// add adds a key or a node that is missing.
func (p *proposer) add() {
	if p.patch == nil {
		return
	}
	pos := p.finding.Pos
	if m := say().FindStringSubmatch(p.hint); m != nil {
		title := "Say " + m[1] + ": " + m[2]
		p.propose(title, p.patch.SetKey(pos, m[1], m[2]), false)
		p.propose(title, p.patch.AddKey(pos, "server", m[1], m[2]), false)
	}
	if m := called().FindStringSubmatch(p.finding.Message); m != nil {
		at := config.Pos{Line: number(m[3]), Column: number(m[4])}
		if strings.HasPrefix(p.hint, "add it to calls") {
			p.propose("Allow "+m[1], p.patch.AddItem(at, "calls", inFlow(m[1]), false), false)
		} else if m[2] != "" {
			p.propose("Allow the effect "+m[2], p.patch.AddItem(at, "effects", m[2], false), false)
		}
	}
	if m := aNode().FindStringSubmatch(p.hint); m != nil {
		first := strings.Contains(m[1], "NODE")
		text := strings.Replace(m[1], "NODE", p.firstNode(), 1)
		p.propose("Add the "+m[2]+" node", p.patch.AddItem(pos, "nodes", text, first), true)
		return
	}
	m := missing().FindStringSubmatch(p.hint)
	if m == nil {
		return
	}
	key := m[1]
	var values []string
	switch {
	case key == "next":
		values = p.nodesBehind()
	case key == "server":
		if servers := p.root.Get("mcpServers"); servers != nil {
			for _, s := range servers.Keys {
				values = append(values, s.Value)
			}
		}
	case usual[key] != "":
		values = []string{usual[key]}
	case key == "transform":
		values = []string{"{expr: $}"}
	}
	for _, value := range values[:min(len(values), 6)] {
		text := value
		if key != "transform" {
			text = inFlow(value)
		}
		for _, having := range []string{"id", ""} {
			if edits := p.patch.AddKey(pos, having, key, text); edits != nil {
				p.propose("Add "+key+": "+text, edits, len(values) == 1)
				break
			}
		}
	}
}

// inFlow returns a text as YAML, for inside { } as well.
func inFlow(text string) string {
	return strings.TrimSuffix(strings.TrimPrefix(config.Inline(config.NewList(config.NewText(text))), "["), "]")
}

// number reads the digits of a place.
func number(digits string) int {
	n, _ := strconv.Atoi(digits) // one that is too large is in no file
	return n
}

// nodes returns the nodes of the tool that the finding is in.
func (p *proposer) nodes() []*config.Data {
	tools := p.root.Get("tools")
	if tools == nil {
		return nil
	}
	var of *config.Data
	for _, t := range tools.Items {
		if compare(t.Pos, p.finding.Pos) <= 0 {
			of = t
		}
	}
	if list := of.Get("nodes"); list != nil {
		return list.Items
	}
	return nil
}

func (p *proposer) firstNode() string {
	for _, n := range p.nodes() {
		if id := n.Get("id"); id != nil {
			return id.Text.Value
		}
	}
	return "exit"
}

// nodesBehind returns the ids of the nodes behind the finding, those in between first, then those before it.
func (p *proposer) nodesBehind() []string {
	var behind, before []string
	for _, n := range p.nodes() {
		id := n.Get("id")
		switch kind := n.Get("type"); {
		case id == nil || kind == nil || kind.Text.Value == "entry":
		case compare(n.Pos, p.finding.Pos) > 0:
			behind = append(behind, id.Text.Value)
		case compare(n.Pos, p.finding.Pos) < 0:
			before = append(before, id.Text.Value)
		}
	}
	return append(behind, before...)
}
