package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/internal/base/wording"
)

// place is the file that defines servers.
type place struct {
	file string
	host bool // in the format of MCP hosts, which have more keys
}

// servers decodes mcpServers. Servers that are defined already take precedence.
func (d *decoder) servers(it *item, key string, from place) {
	if it.isNull() {
		return
	}
	if it.kind != itemMapping {
		d.found.Add(it.pos, "wrong-type", key+" is "+it.describe()+", expected a mapping of names to servers", "")
		return
	}
	for i, name := range it.keys {
		if d.only != nil && !slices.Contains(d.only, name.Value) {
			continue
		}
		if twin := d.sameName(name, from); twin != nil {
			if !from.host || twin.Name.Pos.File == name.Pos.File {
				d.found.Add(name.Pos, "duplicate-server",
					fmt.Sprintf("server %q has the same name as %q on line %d (case does not count)", wording.Shorten(name.Value), wording.Shorten(twin.Name.Value), twin.Name.Pos.Line),
					"rename one of them").Over(name).Fixed(AnotherName(name))
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

// spare reports whether a server of a host's file has errors and no node calls it. The errors
// become warnings then, and the server is skipped: a host's file has servers for other programs.
func (d *decoder) spare(name string, found Diagnostics) bool {
	if found.Err() == nil || slices.Contains(d.only, name) {
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

// sameName returns the server with the same name, ignoring case, or nil.
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
	who := fmt.Sprintf("server %q", wording.Shorten(name.Value))
	u := &Upstream{Pos: it.pos, Name: name, Transport: Stdio}
	if takes := it.get(registryKey); takes != nil && takes.value() != false && !from.host {
		u.Registry = true
		if it, from = d.registered(name, it, who); it == nil {
			return u // nodes may refer to it
		}
	}
	own := upstreamForm()
	if isExec(it) {
		own = execForm()
	}
	form := *own
	form.open = true // foreignKeys checks unknown keys
	fs := d.open(it, &form, who)
	if fs == nil {
		return u // nodes may refer to it
	}
	fs.form = own
	fs.foreignKeys(from)
	if from.host {
		u.Entry = d.entryHash(it)
		fs.notTaken()
	}
	d.reads = nil
	if own == execForm() {
		d.programs(u, fs, from)
	} else {
		d.reached(u, fs, from)
	}
	u.Timeout, u.MaxInFlight, u.Rate = fs.milliseconds("timeoutMs"), fs.integer("maxInFlight"), d.rate(fs)
	u.TextResults = fs.word("results") == "text"
	u.Variables = slices.Compact(slices.Sorted(slices.Values(d.reads)))
	return u
}

// reached decodes the fields of a server that speaks the protocol.
func (d *decoder) reached(u *Upstream, fs *fields, from place) {
	u.Transport = fs.transport()
	d.process(u, fs, from)
	d.address(u, fs)
	if u.Transport == Stdio {
		fs.require("command", u.Command)
	} else {
		fs.require("url", u.URL)
	}
	fs.address("url", u.URL)
	u.StartTimeout, u.Protocol = fs.milliseconds("startTimeoutMs"), cmp.Or(Protocol(fs.word("protocol")), ProtocolAuto)
	d.grants(u, fs, from)
}

// ignoredKeys are keys of mcpGraph and of MCP hosts that have no effect in toolgraph.
var ignoredKeys = []string{"eventSourceInit", "disabled", "autoApprove", "alwaysAllow"}

// foreignKeys reports unknown keys: all in a graph file, and in a host's file, which may have
// keys for other programs, only those that look misspelt.
func (fs *fields) foreignKeys(from place) {
	for i, k := range fs.at.keys {
		switch {
		case fs.form.find(k.Value) != nil, k.Value == "requestInit":
		case slices.Contains(ignoredKeys, k.Value):
			if !from.host {
				fs.d.found.Warn(k.Pos, "ignored-key", fmt.Sprintf("%q of %s has no effect here", k.Value, fs.who), "remove it").Over(k).Fixed(RemoveKey(k.Pos))
			}
		case !from.host:
			fs.unknown(i)
		default:
			if near := wording.Nearest(k.Value, fs.form.current()); near != "" && fs.get(near) == nil {
				fs.d.found.Warn(k.Pos, "ignored-key", fmt.Sprintf("unknown field %q of %s has no effect", wording.Shorten(k.Value), fs.who), wording.Meant(near)).Meant(k, near)
			}
		}
	}
}

// transport returns the transport of a server. Without type, a url alone means streamableHttp.
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
		fs.unknownWord("type", []string{"stdio", "streamableHttp", "sse", "exec"})
		return Stdio
	}
	others := addressKeys
	if transport != Stdio {
		others = stdioKeys
	}
	for _, name := range others {
		if fs.get(name) != nil {
			fs.d.found.Warn(fs.keyPos(name), "ignored-key", fmt.Sprintf("%q of %s has no effect: its type is %s", name, fs.who, transport), "remove it, or change type").Fixed(RemoveKey(fs.keyPos(name)))
		}
	}
	return transport
}

// process decodes the fields of a stdio server.
func (d *decoder) process(u *Upstream, fs *fields, from place) {
	u.Command = fs.text("command")
	if i := strings.Index(u.Command.Value, "${"); i >= 0 {
		d.found.Warn(u.Command.At(i), "variable-not-replaced", "variables are not replaced in command", "write the program's name, and put variables into args or env")
	}
	items := fs.list("args")
	args, typed := d.words(items, "argument %d of "+fs.who, "args of "+fs.who)
	d.bareInArgs(u.Command.Value, items, "args of "+fs.who)
	u.Args, u.Identity = args, commandLine(append([]string{nameable(u.Command.Value, "")}, typed...), "")
	u.Env = d.settings(fs, fs.get("env"), "env")
	d.serverKeys(fs, fs.get("env"))
	u.Cwd, u.Dir = d.directory(fs, from)
}

// words decodes the words of a command line, and returns them also as other files may name them. who
// has the place of the number of a word.
func (d *decoder) words(items []*item, who, owner string) (words []Text, typed []string) {
	flag := "" // the last word, when it is a flag that may need a value
	for i, it := range items {
		text, ok := it.looseText()
		if !ok {
			d.found.Add(it.pos, "wrong-type", fmt.Sprintf(who+" is %s, expected text", i+1, it.describe()), "")
			continue
		}
		field := flagName(text.Value)
		if field == "" && !strings.HasPrefix(text.Value, "-") {
			field = flag // --api-key VALUE
		}
		if flag = ""; strings.HasPrefix(text.Value, "-") && !strings.Contains(text.Value, "=") {
			flag = text.Value
		}
		typed = append(typed, nameable(d.withVars(text.Value), field))
		words = append(words, d.expand(text, usage{field: field, owner: owner}))
	}
	return words, typed
}

// directory decodes cwd, and returns it also as an absolute path; "" without one.
func (d *decoder) directory(fs *fields, from place) (cwd Text, dir string) {
	if cwd = fs.text("cwd"); cwd.Value == "" {
		return Text{}, ""
	}
	cwd = d.expand(cwd, usage{owner: "cwd of " + fs.who})
	if filepath.IsAbs(cwd.Value) {
		return cwd, cwd.Value
	}
	base, err := directory(from.file)
	if err != nil {
		d.found.Add(cwd.Pos, "bad-directory", "cannot find the directory that cwd is relative to", "write an absolute path")
	}
	return cwd, filepath.Join(base, cwd.Value)
}

// address decodes the fields of an HTTP server.
func (d *decoder) address(u *Upstream, fs *fields) {
	if url := fs.text("url"); url.IsSet() {
		before := len(d.found)
		if u.Transport != Stdio {
			u.Identity = nameable(d.withVars(url.Value), "")
		}
		var written string
		u.URL, written = d.expandURL(url, usage{owner: "url of " + fs.who, url: true})
		u.NamesLoopback = namesLoopback(written, u.URL.Value)
		if d.found[before:].Err() != nil || d.assume && u.URL != url {
			fs.bad["url"] = true // the value is unknown
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
		d.found.Warn(fs.at.keys[i].Pos, "ignored-key", fmt.Sprintf("only the headers of requestInit of %s have an effect", fs.who), "write headers: {…}")
	}
}

// settings decodes env or headers.
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
		use := usage{field: name.Value, owner: key + " of " + fs.who, secret: true}
		d.bareVariables(text, use.owner)
		settings = append(settings, Setting{Name: name, Value: d.expand(text, use)})
	}
	return settings
}

// decodeServersFile decodes {"mcpServers": {…}}, or {"servers": {…}} as VS Code writes it.
func (d *decoder) decodeServersFile(root *item, path string) {
	if root.kind != itemMapping {
		d.found.Add(root.pos, "not-a-servers-file", "the servers file is "+root.describe()+", expected {\"mcpServers\": {…}}", "")
		return
	}
	for _, key := range []string{"mcpServers", "servers"} {
		if it := root.get(key); it != nil {
			d.servers(it, key, place{file: path, host: true})
			return
		}
	}
	d.found.Warn(root.pos, "not-a-servers-file", "the servers file has no \"mcpServers\"", "write {\"mcpServers\": {…}}")
}

// grants decodes trust in a server, the requests that it may make, and its authorization.
func (d *decoder) grants(u *Upstream, fs *fields, from place) {
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
			known := []string{"elicitation"}
			near := wording.Nearest(word.Value, known)
			d.found.Add(it.pos, "unknown-value", fmt.Sprintf("allow of %s has %s, expected elicitation", fs.who, what), wording.Meant(near)).
				Over(it.text).Fixed(wordFixes(it.text, near, known)...)
		}
	}
	if it := fs.get("oauth"); it != nil {
		u.OAuth = d.oauth(it, fs, from)
	}
}
