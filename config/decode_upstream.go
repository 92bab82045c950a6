package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/internal/wording"
)

// place is the file that servers are read from.
type place struct {
	file string
	host bool // in the hosts' format, whose further keys are theirs
}

// servers reads mcpServers. Names that are there already are kept as they are.
func (d *decoder) servers(it *item, key string, from place) {
	if it.isNull() {
		return
	}
	if it.kind != itemMapping {
		d.found.Add(it.pos, "wrong-type", key+" is "+it.describe()+", expected a mapping of names to servers", "")
		return
	}
	for i, name := range it.keys {
		if twin := d.sameName(name, from); twin != nil {
			if !from.host || twin.Name.Pos.File == name.Pos.File {
				d.found.Add(name.Pos, "duplicate-server",
					fmt.Sprintf("the server %q has the name of %q in line %d, apart from upper and lower case", wording.Shorten(name.Value), wording.Shorten(twin.Name.Value), twin.Name.Pos.Line),
					"rename one of them")
			}
			continue
		}
		before := len(d.found)
		u := d.upstream(name, it.items[i], from)
		if from.host && d.spare(name.Value, d.found[before:]) {
			continue
		}
		d.file.Servers = append(d.file.Servers, u)
	}
}

// spare tells whether a server of a host's file has errors but is called by no node.
// Such errors become warnings, and the server is left out: a host's file has servers
// that are not our business.
func (d *decoder) spare(name string, found Diagnostics) bool {
	if found.Err() == nil {
		return false
	}
	for _, t := range d.file.Tools {
		for _, n := range t.Nodes {
			if n.Server.Value == name {
				return false
			}
		}
	}
	for i := range found {
		found[i].Severity = Warning
	}
	return true
}

// sameName is the server whose name is this one, apart from case.
func (d *decoder) sameName(name Text, from place) *Upstream {
	for _, u := range d.file.Servers {
		same := strings.EqualFold(u.Name.Value, name.Value)
		if from.host && u.Name.Pos.File != name.Pos.File {
			same = u.Name.Value == name.Value
		}
		if same {
			return u
		}
	}
	return nil
}

func (d *decoder) upstream(name Text, it *item, from place) *Upstream {
	form := upstreamForm
	form.open = true // foreign keys are told apart below
	fs := d.open(it, &form, fmt.Sprintf("server %q", wording.Shorten(name.Value)))
	u := &Upstream{Pos: it.pos, Name: name, Transport: Stdio}
	if fs == nil {
		return u // so that nodes may refer to it
	}
	fs.form = &upstreamForm
	fs.foreignKeys(from)
	u.Transport = fs.transport()
	d.process(u, fs, from)
	d.address(u, fs)
	if u.Transport == Stdio {
		fs.require("command", u.Command)
	} else {
		fs.require("url", u.URL)
	}
	fs.address("url", u.URL)
	u.Timeout, u.StartTimeout = fs.milliseconds("timeoutMs"), fs.milliseconds("startTimeoutMs")
	u.MaxInFlight, u.Protocol = fs.integer("maxInFlight"), cmp.Or(Protocol(fs.word("protocol")), ProtocolAuto)
	d.grants(u, fs)
	return u
}

// ignoredKeys are known to mcpGraph and to hosts, and mean nothing to us.
var ignoredKeys = []string{"eventSourceInit", "disabled", "autoApprove", "alwaysAllow"}

// foreignKeys reports keys that are not ours. In a graph file they are mistakes; a
// host's file may have more, and only what looks like a slip is told.
func (fs *fields) foreignKeys(from place) {
	for i, k := range fs.at.keys {
		switch {
		case fs.form.find(k.Value) != nil, k.Value == "requestInit":
		case slices.Contains(ignoredKeys, k.Value):
			if !from.host {
				fs.d.found.Warn(k.Pos, "ignored-key", fmt.Sprintf("%q of %s has no effect here", k.Value, fs.who), "remove it")
			}
		case !from.host:
			fs.unknown(i)
		default:
			if near := wording.Nearest(k.Value, fs.form.current()); near != "" && fs.get(near) == nil {
				fs.d.found.Warn(k.Pos, "ignored-key", fmt.Sprintf("%q of %s is not known and has no effect", wording.Shorten(k.Value), fs.who), wording.DidYouMean(k.Value, fs.form.current()))
			}
		}
	}
}

// transport is what type says; without it, an address alone means streamableHttp.
func (fs *fields) transport() Transport {
	kind := fs.text("type")
	transport, known := transportNames[kind.Value]
	switch {
	case kind.IsSet():
	case fs.get("command") == nil && fs.get("url") != nil && !fs.bad["type"]:
		transport, known = StreamableHTTP, true
	default:
		transport, known = Stdio, true
	}
	if !known {
		fs.bad["command"], fs.bad["url"] = true, true
		fs.unknownWord("type", []string{"stdio", "streamableHttp", "sse"})
		return Stdio
	}
	others := addressKeys
	if transport != Stdio {
		others = stdioKeys
	}
	for _, name := range others {
		if fs.get(name) != nil {
			fs.d.found.Warn(fs.keyPos(name), "ignored-key", fmt.Sprintf("%q of %s has no effect: its type is %s", name, fs.who, transport), "remove it, or change type")
		}
	}
	return transport
}

// process reads what a stdio server has.
func (d *decoder) process(u *Upstream, fs *fields, from place) {
	u.Command = fs.text("command")
	if i := strings.Index(u.Command.Value, "${"); i >= 0 {
		d.found.Warn(u.Command.At(i), "variable-not-replaced", "variables are not replaced in command", "write the program's name, and put variables into args or env")
	}
	typed := []string{nameable(u.Command.Value, "")}
	flag := "" // the last argument, when it is a flag that may want a value
	for i, it := range fs.list("args") {
		text, ok := it.looseText()
		if !ok {
			d.found.Add(it.pos, "wrong-type", fmt.Sprintf("argument %d of %s is %s, expected text", i+1, fs.who, it.describe()), "")
			continue
		}
		field := flagName(text.Value)
		if field == "" && !strings.HasPrefix(text.Value, "-") {
			field = flag // --api-key VALUE
		}
		if flag = ""; strings.HasPrefix(text.Value, "-") && !strings.Contains(text.Value, "=") {
			flag = text.Value
		}
		typed = append(typed, nameable(text.Value, field))
		u.Args = append(u.Args, d.expand(text, usage{field: field, owner: fs.who + " in args"}))
	}
	u.Identity = commandLine(typed)
	u.Env = d.settings(fs, fs.get("env"), "env")
	if cwd := fs.text("cwd"); cwd.Value != "" {
		u.Dir = d.expand(cwd, usage{owner: fs.who + " in cwd"}).Value
		if !filepath.IsAbs(u.Dir) {
			base, err := directory(from.file)
			if err != nil {
				d.found.Add(cwd.Pos, "bad-directory", "the directory that cwd is relative to cannot be told", "write an absolute path")
			}
			u.Dir = filepath.Join(base, u.Dir)
		}
	}
}

// address reads what a server behind an address has.
func (d *decoder) address(u *Upstream, fs *fields) {
	if url := fs.text("url"); url.IsSet() {
		before := len(d.found)
		if u.Transport != Stdio {
			u.Identity = nameable(url.Value, "")
		}
		var written string
		u.URL, written = d.expandURL(url, usage{owner: fs.who + " in url", url: true})
		u.NamesLoopback = namesLoopback(written, u.URL.Value)
		if d.found[before:].Err() != nil || d.assume && u.URL != url {
			fs.bad["url"] = true // there is nothing to check
		}
	}
	u.Headers = d.settings(fs, fs.get("headers"), "headers")
	if i := slices.IndexFunc(fs.at.keys, func(k Text) bool { return k.Value == "requestInit" }); i >= 0 {
		init := fs.at.items[i]
		for _, h := range d.settings(fs, init.get("headers"), "requestInit.headers") {
			if !slices.ContainsFunc(u.Headers, func(s Setting) bool { return strings.EqualFold(s.Name.Value, h.Name.Value) }) {
				u.Headers = append(u.Headers, h)
			}
		}
		d.found.Warn(fs.at.keys[i].Pos, "ignored-key", fmt.Sprintf("of requestInit of %s only the headers have an effect", fs.who), "write headers: {…}")
	}
}

// settings reads env or headers: names and texts.
func (d *decoder) settings(fs *fields, it *item, key string) []Setting {
	if it.isNull() {
		return nil
	}
	if it.kind != itemMapping {
		d.found.Add(it.pos, "wrong-type", fmt.Sprintf("%s of %s is %s, expected a mapping of names to texts", key, fs.who, it.describe()), "")
		return nil
	}
	var settings []Setting
	for i, name := range it.keys {
		text, ok := it.items[i].looseText()
		if !ok {
			kind := map[itemKind]string{itemMapping: "a mapping", itemList: "a list", itemScalar: "empty"}[it.items[i].kind]
			d.found.Add(it.items[i].pos, "wrong-type", fmt.Sprintf("%q in %s of %s is %s, expected text", wording.Shorten(name.Value), key, fs.who, kind), "")
			continue
		}
		use := usage{field: name.Value, owner: fs.who + " in " + key, secret: true}
		settings = append(settings, Setting{Name: name, Value: d.expand(text, use)})
	}
	return settings
}

// decodeServersFile reads {"mcpServers": {…}}, or "servers" as one editor writes it.
func (d *decoder) decodeServersFile(root *item, path string) {
	if root.kind != itemMapping {
		d.found.Add(root.pos, "not-a-servers-file", "the file of servers is "+root.describe()+", expected {\"mcpServers\": {…}}", "")
		return
	}
	for _, key := range []string{"mcpServers", "servers"} {
		if it := root.get(key); it != nil {
			d.servers(it, key, place{file: path, host: true})
			return
		}
	}
	d.found.Warn(root.pos, "not-a-servers-file", "the file of servers has no \"mcpServers\"", "write {\"mcpServers\": {…}}")
}

// grants reads how far a server is trusted, what it may ask of us, and how we are
// authorized by it.
func (d *decoder) grants(u *Upstream, fs *fields) {
	u.AllowPrivate, u.Trusted = fs.boolean("allowPrivate"), fs.boolean("trusted")
	for _, it := range fs.list("allow") {
		switch word, _ := it.looseText(); word.Value {
		case "elicitation":
			u.AllowElicit = true
		case "sampling", "roots":
			d.found.Add(it.pos, "unknown-value", fmt.Sprintf("allow of %s names %s, expected elicitation", fs.who, word.Value),
				"a graph has no model to sample and no roots; such requests are always refused")
		default:
			what := it.describe()
			if word.IsSet() {
				what = wording.Quote(word.Value)
			}
			d.found.Add(it.pos, "unknown-value", fmt.Sprintf("allow of %s has %s, expected elicitation", fs.who, what),
				wording.DidYouMean(word.Value, []string{"elicitation"}))
		}
	}
	if it := fs.get("oauth"); it != nil {
		u.OAuth = d.oauth(it, fs)
	}
}

// oauth is never nil, so that what follows from there being one can be checked.
func (d *decoder) oauth(it *item, server *fields) *OAuth {
	o := &OAuth{}
	fs := d.open(it, &oauthForm, "oauth of "+server.who)
	if fs == nil {
		return o
	}
	if id := fs.text("clientId"); id.IsSet() {
		o.ClientID = d.expand(id, usage{field: "clientId", owner: fs.who}).Value
	}
	for i, scope := range fs.list("scopes") {
		text, ok := scope.looseText()
		if !ok {
			d.found.Add(scope.pos, "wrong-type", fmt.Sprintf("scope %d of %s is %s, expected text", i+1, fs.who, scope.describe()), "")
			continue
		}
		o.Scopes = append(o.Scopes, text.Value)
	}
	o.RedirectPort = fs.integer("redirectPort")
	return o
}
