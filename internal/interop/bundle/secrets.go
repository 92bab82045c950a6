package bundle

import (
	"bytes"
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"toolgraph/config"
	"toolgraph/internal/base/keys"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/interop/hostconfig"
)

const (
	leastSecret = 6  // bytes of a text that is a secret by its name, as in redacted texts
	mostTokens  = 10 // findings of one file
)

var (
	// reference is ${NAME…}, with its name and its default.
	reference = wording.Pattern(`\$\{([A-Za-z_][A-Za-z0-9_.]*)(?::-([^}]*)|[^}]*)\}`)
	// credentialKey is a name with a key that is a secret. Others, such as sortKey, are data.
	credentialKey = wording.Pattern(`(?i)(api|access|private|secret|signing|encryption|ssh|master|licen[cs]e|service|account|client|shared)[ _.-]?key`)
	otherKey      = wording.Pattern(`(?i)keys?`)
	// quoted is an expression that is one text.
	quoted = wording.Pattern(`^\s*(?:"([^"]*)"|'([^']*)')\s*$`)
)

// secrets reports secrets that are written into a packed text file: everyone who has the bundle
// could read them.
func (k *packer) secrets() error {
	for _, source := range k.file.Sources() {
		root, err := config.LoadData(source)
		if err != nil {
			return err
		}
		if servers := root.Get("mcpServers"); servers != nil && servers.Kind == config.KindObject {
			for i, name := range servers.Keys {
				k.entry("server "+wording.Quote(name.Value), servers.Items[i])
			}
		}
		k.constants("vars", "", root.Get("vars"))
		k.arguments(root.Get("tools"))
	}
	for _, u := range k.file.Servers { // with the values of ${vars.NAME}
		for _, n := range texts(u) {
			if !isAsked(n.Value) && config.PlainSecret(n.setting, n.Value) {
				k.secret(spanOf(n.Text), "server "+wording.Quote(u.Name.Value), n.setting)
			}
		}
	}
	for _, name := range sortedKeys(k.files) {
		k.tokens(name, k.files[name].Data)
	}
	return nil
}

// span is where a text with a reported secret begins and ends.
type span struct{ from, to config.Pos }

func (s span) has(pos config.Pos) bool {
	return pos.File == s.from.File && !isBefore(pos, s.from) && !isBefore(s.to, pos)
}

func isBefore(a, b config.Pos) bool {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) < 0
}

// secret reports a secret, unless one is reported at its place. setting is the name of what it is the
// value of, "" for none.
func (k *packer) secret(at span, who, setting string) {
	if slices.ContainsFunc(k.secretAt, func(s span) bool { return s.has(at.from) }) {
		return
	}
	k.secretAt = append(k.secretAt, at)
	hint := "write ${NAME} to ask the user"
	if !strings.HasPrefix(who, "server ") { // where variables are not replaced
		hint = "remove it; write ${NAME} in the entry of the server that needs it, which asks the user"
	}
	if setting != "" {
		setting = " in " + wording.Quote(setting)
	}
	k.reject(at.from, hint, "%s has a secret%s, which everyone who gets the bundle can read", who, setting)
}

func spanOf(t config.Text) span { return span{t.Pos, t.At(len(t.Value))} }

// entry reports the secrets in the entry of a server, as it is written.
func (k *packer) entry(who string, server *config.Data) {
	for _, key := range []string{"env", "headers"} {
		if settings := server.Get(key); settings != nil && settings.Kind == config.KindObject {
			for i, name := range settings.Keys {
				k.written(who, named{name.Value, settings.Items[i].Text}, true)
			}
		}
	}
	if url := server.Get("url"); url != nil {
		k.written(who, named{"", url.Text}, true)
	}
	lines := []*config.Data{server.Get("args")}
	if programs := server.Get("tools"); programs != nil {
		for _, program := range programs.Items {
			lines = append(lines, program.Get("command"))
		}
	}
	for _, line := range lines {
		var words []config.Text
		if line != nil && line.Kind == config.KindArray {
			for _, item := range line.Items {
				words = append(words, item.Text)
			}
		}
		for _, n := range flagged(words) {
			k.written(who, n, false)
		}
	}
}

// written reports a text of an entry when it is a secret by its name or its form, or when a default
// in it is; with random, also when it looks like a generated key.
func (k *packer) written(who string, n named, random bool) {
	bare := reference().ReplaceAllString(n.Value, "")
	full := reference().ReplaceAllString(n.Value, "$2") // with the defaults
	found := config.PlainSecret(n.setting, reference().ReplaceAllString(n.Value, "$${$1}")) || config.PlainSecret("", full) || hasIssued(full) ||
		random && hostconfig.IsSecret("", bare) || bare == n.Value && isNamed(n.setting, n.Value)
	for _, v := range reference().FindAllStringSubmatch(n.Value, -1) {
		found = found || isNamed(n.setting, v[2]) || isNamed(v[1], v[2])
	}
	if found {
		k.secret(spanOf(n.Text), who, n.setting)
	}
}

// isNamed reports whether a value is a secret because of its name.
func isNamed(name, value string) bool {
	return len(strings.TrimSpace(value)) >= leastSecret && hostconfig.SecretName(name) && hostconfig.IsSecret(name, value)
}

func hasIssued(text string) bool { from, _ := keys.Find([]byte(text)); return from >= 0 }

// arguments reports the secrets in all args of calls below a part of the graph file.
func (k *packer) arguments(d *config.Data) {
	if d == nil {
		return
	}
	for i, item := range d.Items {
		switch key := keyAt(d, i); key {
		case "args":
			k.constants("args", "", item)
		case "inputSchema", "outputSchema":
		default:
			k.arguments(item)
		}
	}
}

// constants reports the texts of a value that are secrets by the names of their keys, or by their
// form.
func (k *packer) constants(who, name string, d *config.Data) {
	if d == nil {
		return
	}
	for i, item := range d.Items {
		key := keyAt(d, i)
		if key == "" || key == "expr" {
			key = name
		}
		k.constants(who, key, item)
	}
	text := d.Text
	if d.Kind == config.KindExpression {
		text = d.Expr
	}
	value := text.Value
	if m := quoted().FindStringSubmatch(value); m != nil {
		value = m[1] + m[2]
	}
	plain := credentialKey().ReplaceAllString(name, "secret") // a key by itself is the key of an entry
	if isNamed(otherKey().ReplaceAllString(plain, ""), value) && !reference().MatchString(value) || hasIssued(value) {
		k.secret(spanOf(text), who, name)
	}
}

// keyAt is the key of an item, "" in a list.
func keyAt(d *config.Data, i int) string {
	if d.Kind != config.KindObject {
		return ""
	}
	return d.Keys[i].Value
}

// tokens reports well-known forms of tokens in a packed file, unless it is binary.
func (k *packer) tokens(name string, data []byte) {
	if bytes.IndexByte(data, 0) >= 0 {
		return
	}
	file := filepath.Join(filepath.Dir(k.file.Path), filepath.FromSlash(relativeTo(path.Join("graph", k.own), name)))
	pos := config.Pos{File: file, Line: 1, Column: 1}
	for range mostTokens {
		from, to := keys.Find(data)
		if from < 0 {
			return
		}
		pos = after(pos, data[:from])
		end := after(pos, data[from:to])
		k.secret(span{pos, end}, "the file", "")
		pos = end
		data = data[to:]
	}
}

// after is the place behind a text that begins at a place.
func after(pos config.Pos, text []byte) config.Pos {
	if n := bytes.Count(text, []byte("\n")); n > 0 {
		pos.Line, pos.Column = pos.Line+n, 1
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	pos.Column += utf8.RuneCount(text)
	return pos
}

// relativeTo is the path of a file of the bundle from one of its directories.
func relativeTo(dir, name string) string {
	up := ""
	for dir != "." && !strings.HasPrefix(name, dir+"/") {
		dir, up = path.Dir(dir), up+"../"
	}
	return up + strings.TrimPrefix(name, dir+"/")
}
