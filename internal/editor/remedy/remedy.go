package remedy

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// Fix is edits of a file that may mend a finding.
type Fix struct {
	Title string
	Edits []config.Edit // sorted
	Sure  bool          // it is what the finding's remedy says, and not one of several ways
}

// most bounds how many fixes are proposed for a finding.
const most = 10

// Fixes returns the fixes of a finding in a file, the likely ones first. Of several with the same title the
// caller takes the first that works.
func Fixes(path string, src []byte, f config.Diagnostic) []Fix {
	p := proposer{path: path, src: src, finding: f, patch: config.NewPatcher(path, src), hint: f.Hint}
	p.root, _ = config.ParseWritten(path, src)
	for _, propose := range []func(*proposer){
		(*proposer).upgrade, (*proposer).didYouMean, (*proposer).options, (*proposer).expressions, (*proposer).guards,
		(*proposer).write, (*proposer).bounds, (*proposer).another, (*proposer).quote, (*proposer).add, (*proposer).lines, (*proposer).remove,
	} {
		propose(&p)
	}
	p.fixes = slices.DeleteFunc(p.fixes, func(f Fix) bool {
		return len(f.Edits) == 0 || !fits(src, f.Edits) || bytes.Equal(config.Apply(src, f.Edits), src)
	})
	return p.fixes[:min(len(p.fixes), most)]
}

// fits reports whether edits are in a text, one behind the other. The parser's places are not exact in
// unusual files.
func fits(src []byte, edits []config.Edit) bool {
	at := 0
	for _, e := range edits {
		if e.From < at || e.To < e.From || e.To > len(src) {
			return false
		}
		at = e.To
	}
	return true
}

// proposer collects the fixes of one finding.
type proposer struct {
	path    string
	src     []byte
	finding config.Diagnostic
	hint    string
	root    *config.Data    // nil when the text cannot be read
	patch   *config.Patcher // nil likewise
	fixes   []Fix
}

func (p *proposer) propose(title string, edits []config.Edit, sure bool) {
	p.fixes = append(p.fixes, Fix{title, edits, sure})
}

// edit proposes another text for a part of the expression at the place.
func (p *proposer) edit(title string, t config.Text, from, to int, with string, sure bool) {
	if edits, ok := t.Replaced(config.Replacement{From: from, To: to, Text: with}); ok {
		p.propose(title, edits, sure)
	}
}

// upgrade rewrites all older forms of the file.
func (p *proposer) upgrade() {
	if !strings.HasPrefix(p.finding.Code, "older-") {
		return
	}
	if text, _, err := config.Upgrade(p.path, p.src); err == nil {
		p.propose("Upgrade the file to the current language", []config.Edit{{From: 0, To: len(p.src), Text: string(text)}}, true)
	}
}

var (
	meant  = wording.Pattern(`did you mean "([^"]+)"\?`)
	aWord  = wording.Pattern(`"[^"]+"|[$A-Za-z_][A-Za-z0-9_.-]*[A-Za-z0-9_]`)
	option = wording.Pattern(`expected ([a-zA-Z0-9_, -]+)$`)
)

// didYouMean replaces the word that the finding is about.
func (p *proposer) didYouMean() {
	m := meant().FindStringSubmatch(p.hint)
	if m == nil {
		return
	}
	var words, plain []string // those in quotes first
	for _, word := range aWord().FindAllString(p.finding.Message, -1) {
		if word[0] == '"' {
			words = append(words, strings.Trim(word, `"`))
		} else {
			plain = append(plain, word)
		}
	}
	words = append(words, plain...)
	for _, bad := range p.likely(words, m[1]) {
		p.replace(bad, m[1], true)
	}
}

// likely returns words of a message in the order in which they may be what another word was meant for.
func (p *proposer) likely(words []string, meant string) []string {
	words = slices.DeleteFunc(words, func(word string) bool { return word == meant })
	nearest := wording.Nearest(meant, words)
	return slices.Compact(append([]string{nearest}, words[:min(len(words), 3)]...))
}

// replace replaces a word at the place of the finding, or the first after it.
func (p *proposer) replace(bad, good string, sure bool) {
	if bad == "" {
		return
	}
	for _, t := range p.texts() {
		at := p.offsetIn(t)
		if at < 0 {
			continue
		}
		if i := strings.Index(t.Value[at:], bad); i >= 0 {
			p.edit("Replace it with "+good, t, at+i, at+i+len(bad), good, sure)
			return
		}
	}
}

// options proposes each of the values that are allowed.
func (p *proposer) options() {
	m := option().FindStringSubmatch(p.finding.Message)
	if m == nil || meant().MatchString(p.hint) || p.finding.Code != "unknown-value" {
		return
	}
	words := strings.FieldsFunc(strings.ReplaceAll(m[1], " or ", ", "), func(r rune) bool { return r == ',' || r == ' ' })
	text := p.text()
	for _, word := range words {
		p.edit("Write "+word, text, 0, len(text.Value), word, false)
	}
}

// texts returns all scalars that are texts and do not end before the finding, in order.
func (p *proposer) texts() (all []config.Text) {
	var walk func(d *config.Data)
	walk = func(d *config.Data) {
		all = append(all, d.Keys...)
		if d.Text.IsSet() {
			all = append(all, d.Text)
		}
		for _, item := range d.Items {
			walk(item)
		}
	}
	if p.root != nil {
		walk(p.root)
	}
	slices.SortFunc(all, func(a, b config.Text) int { return compare(a.Pos, b.Pos) })
	return slices.DeleteFunc(all, func(t config.Text) bool { return compare(t.At(len(t.Value)), p.finding.Pos) < 0 })
}

func compare(a, b config.Pos) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// text returns the scalar that the finding is in; it is not set when there is none.
func (p *proposer) text() config.Text {
	if all := p.texts(); len(all) > 0 && compare(all[0].Pos, p.finding.Pos) <= 0 {
		return all[0]
	}
	return config.Text{}
}

// offsetIn returns the byte of the finding in the value of a text: 0 for a text behind it.
func (p *proposer) offsetIn(t config.Text) int {
	places := t.Places()
	for i := range len(t.Value) + 1 {
		if compare(places.At(i), p.finding.Pos) >= 0 {
			return i
		}
	}
	return -1
}

// byteOf returns the byte of a place in the file.
func (p *proposer) byteOf(at config.Pos) int { return config.LinesOf(p.src).Offset(at) }

// remove removes the key or the item that the finding is about.
func (p *proposer) remove() {
	leave := strings.Contains(p.hint, "leave the code out")
	if p.patch == nil || !leave && !strings.Contains(p.hint, "remove") {
		return
	}
	if strings.HasSuffix(p.finding.Code, "-character") {
		at := p.byteOf(p.finding.Pos)
		size := len(string([]rune(string(p.src[at:]))[:1]))
		p.propose("Remove the character", []config.Edit{{From: at, To: at + size}}, true)
		return
	}
	item, key := p.patch.RemoveItem(p.finding.Pos), p.patch.RemoveKey(p.finding.Pos)
	if slices.Contains([]string{"unreachable-node", "second-entry", "second-exit", "useless-codes", "retry-may-repeat", "allow-unused", "confirm-not-allowed", "constant-condition", "unreachable-condition"}, p.finding.Code) {
		p.propose("Remove it", item, true)
	}
	p.propose("Remove it", key, true)
	p.propose("Remove it", item, false)
}
