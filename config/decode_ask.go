package config

import (
	"slices"

	"toolgraph/internal/base/wording"
)

// ask decodes the fields of an ask node.
func (d *decoder) ask(n *Node, fs *fields) {
	n.Message, n.Schema = d.message(fs), d.schema(fs, "schema")
	n.OnError, n.Help = d.onError(fs), fs.text("help")
	d.timeout(n, fs)
}

// timeout decodes the timeoutMs of a node.
func (d *decoder) timeout(n *Node, fs *fields) {
	if it := fs.get("timeoutMs"); it != nil {
		n.Timeout, n.TimeoutPos = fs.milliseconds("timeoutMs"), it.pos
	}
}

// message returns a text or an expression; nil when it is missing or neither.
func (d *decoder) message(fs *fields) *Data {
	it := fs.get("message")
	switch {
	case it.isNull():
		return nil
	case it.has("expr"):
		return d.data(it, "message")
	}
	if it.kind != itemScalar {
		fs.wrong("message", "a text or {expr: …}", "")
		return &Data{Pos: it.pos, Scalar: it.describe()} // so that it does not count as missing, too
	}
	text := fs.text("message")
	data := &Data{Pos: it.pos, Scalar: text.Value, Text: text}
	d.literal(data, "message")
	return data
}

// confirm returns the confirm of a node, with its place; nil when it is missing.
func (fs *fields) confirm() (*bool, Pos) {
	it := fs.get("confirm")
	if it == nil {
		return nil, Pos{}
	}
	if wanted := fs.boolean("confirm"); !fs.bad["confirm"] {
		return &wanted, it.pos
	}
	return nil, it.pos
}

// allow decodes the allow of the file or a tool; nil when it is missing.
func (d *decoder) allow(owner *fields, form *form) *Allow {
	fs := d.part(owner, "allow", form)
	if fs == nil {
		return nil
	}
	a := &Allow{Pos: owner.keyPos("allow"), Calls: fs.texts("calls"), Effects: fs.words("effects"), Confirm: fs.words("confirm")}
	if form == allowForm() && fs.get("trustImports") != nil {
		a.DistrustImports = !fs.boolean("trustImports")
	}
	if form == allowForm() {
		a.Flows = d.allowedFlows(fs)
	}
	return a
}

// allowedFlows decodes the flows of allow. The servers of the file are known later: see checkFlows.
func (d *decoder) allowedFlows(allow *fields) (all []AllowedFlow) {
	for _, it := range allow.list("flows") {
		fs := d.open(it, allowedFlowForm(), "an entry of flows of "+allow.who)
		if fs == nil {
			continue
		}
		f := AllowedFlow{Pos: it.pos, From: fs.text("from"), To: fs.texts("to")}
		fs.require("from", f.From)
		all = append(all, f)
	}
	return all
}

// checkFlows reports servers in the flows of allow that the file does not have.
func (d *decoder) checkFlows() {
	if d.file.Allow == nil {
		return
	}
	var names []string
	for _, u := range d.file.Servers {
		names = append(names, u.Name.Value)
	}
	for _, f := range d.file.Allow.Flows {
		for _, t := range append([]Text{f.From}, f.To...) {
			if t.Value != "" && !slices.Contains(names, t.Value) {
				near := wording.Nearest(t.Value, names)
				d.found.Add(t.Pos, "unknown-server", "flows of allow names "+wording.Quote(t.Value)+", which is no server of mcpServers", wording.Meant(near)).Meant(t, near)
			}
		}
	}
}

// words is texts for a list whose items must be words of the form; others are reported, and left
// out.
func (fs *fields) words(name string) []Text {
	items, _ := fs.form.find(name).value["items"].(value)
	known := wordsOf(items)
	return slices.DeleteFunc(fs.texts(name), func(t Text) bool {
		if slices.Contains(known, t.Value) {
			return false
		}
		near := wording.Nearest(t.Value, known)
		fs.d.found.Add(t.Pos, "unknown-value", name+" of "+fs.who+" names "+wording.Quote(t.Value)+", expected "+wording.Or(known),
			wording.Meant(near)).Over(t).Fixed(wordFixes(t, near, known)...)
		return true
	})
}
