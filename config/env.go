package config

import (
	"fmt"
	"net/url"
	"strings"

	"toolgraph/internal/wording"
)

// usage tells where a text is used in which variables are replaced.
type usage struct {
	owner  string // in messages: server "x" in env
	field  string // the name of the setting or flag, which may tell that it is secret
	secret bool   // what comes from a variable is secret whatever its name
	url    bool
}

var (
	variableName  = pattern(`^[A-Za-z_][A-Za-z0-9_]*`)
	sensitiveName = pattern(`(?i)key|token|secret|password|passwd|auth|credential`)
)

// expand replaces ${VAR}, ${VAR:-default} and ${VAR:?message}, once; $${ becomes ${.
// What it puts in is never read again. Secrets among it are noted. The result has no
// exact places any more when something was replaced.
func (d *decoder) expand(t Text, use usage) Text {
	result, _ := d.expandURL(t, use)
	return result
}

// expandURL is expand, and the text once more as the file alone writes it: with each
// value of the environment replaced by an x.
func (d *decoder) expandURL(t Text, use usage) (result Text, written string) {
	if !strings.Contains(t.Value, "${") {
		d.noteSecrets(t, use, nil)
		return t, t.Value
	}
	const mostFindings = 10 // of one text
	var out, fixed strings.Builder
	var used []variable
	before := len(d.found)
	for i := 0; i < len(t.Value) && len(d.found)-before < mostFindings; {
		rest := t.Value[i:]
		switch {
		case strings.HasPrefix(rest, "$${"):
			out.WriteString("${")
			fixed.WriteString("${")
			i += 3
		case strings.HasPrefix(rest, "${"):
			v, size := d.variable(t, i, use)
			if d.expanded += len(v.value); d.expanded > maxExpandedBytes {
				d.found.Add(t.Pos, "bad-variable", fmt.Sprintf("the variables of %s make the file longer than 4 MiB", use.owner), "use shorter values")
				return t, ""
			}
			out.WriteString(v.value)
			fixed.WriteString(v.written())
			used = append(used, v)
			i += size
		default:
			next := strings.IndexByte(rest[1:], '$') + 1
			if next == 0 {
				next = len(rest)
			}
			out.WriteString(rest[:next])
			fixed.WriteString(rest[:next])
			i += next
		}
	}
	result = t
	if out.String() != t.Value {
		result = Text{Value: out.String(), Pos: t.Pos}
	}
	d.noteSecrets(result, use, used)
	return result, fixed.String()
}

// variable is a variable that was put in.
type variable struct {
	name, value string
	fromEnv     bool
	unset       bool // and told so
}

// written is the value as far as the file writes it, which is its default.
func (v variable) written() string {
	if v.fromEnv || v.unset {
		return "x"
	}
	return v.value
}

// variable reads the ${…} at i and returns what it stands for and how long it is.
func (d *decoder) variable(t Text, i int, use usage) (variable, int) {
	rest := t.Value[i:]
	end := strings.IndexByte(rest, '}')
	name := variableName().FindString(rest[2:])
	bad := func(message, hint string) {
		d.found.Add(t.At(i), "bad-variable", fmt.Sprintf("%s of %s", message, use.owner), hint)
	}
	const literal = "write $${ for a literal ${"
	switch {
	case end < 0:
		bad("a ${ without } in a text", literal)
		return variable{}, len(rest)
	case name == "":
		bad("a ${…} without the name of a variable in a text", "names are letters, digits and _; "+literal)
		return variable{}, end + 1
	}
	value, set := d.lookup(name)
	if !set && d.assume {
		value, set = "value", true
	}
	v := variable{name: name, value: value, fromEnv: true}
	operator := rest[2+len(name) : end]
	switch {
	case operator == "":
		if !set {
			v.fromEnv, v.unset = false, true
			d.found.Add(t.At(i), "unset-variable", fmt.Sprintf("the environment variable %s, used by %s, is not set", name, use.owner),
				fmt.Sprintf("set it, or write ${%s:-default}", name))
		}
	case strings.HasPrefix(operator, ":-"):
		if value == "" {
			v.value, v.fromEnv = operator[2:], false
		}
	case strings.HasPrefix(operator, ":?"):
		if value == "" && !d.assume {
			v.fromEnv, v.unset = false, true
			d.found.Add(t.At(i), "unset-variable", fmt.Sprintf("the environment variable %s, used by %s, is not set: %s", name, use.owner, wording.Shorten(operator[2:])), "set it")
		}
	default:
		hint := "expected ${NAME}, ${NAME:-default} or ${NAME:?message}; " + literal
		switch {
		case name == "env" && operator[0] == ':':
			hint = "write ${" + wording.Shorten(operator[1:]) + "}"
		case name == "input" && operator[0] == ':':
			hint = "an editor asks for inputs, toolgraph takes environment variables: write ${NAME}"
		}
		bad("a ${…} that cannot be read in a text", hint)
		v = variable{}
	}
	return v, end + 1
}

// flagName is NAME of an argument --NAME=value.
func flagName(arg string) string {
	name, _, ok := strings.Cut(arg, "=")
	if !ok {
		return ""
	}
	return name
}

// noteSecrets registers what must never be shown of a text.
func (d *decoder) noteSecrets(t Text, use usage, used []variable) {
	sensitive := sensitiveName().MatchString(use.field)
	for _, v := range used {
		if named := sensitive || sensitiveName().MatchString(v.name); !v.unset && (named || use.secret && v.fromEnv) {
			d.noteSecret(t, v.value, "the value of "+v.name, named)
		}
	}
	value := t.Value
	if name, after, ok := strings.Cut(value, "="); ok && name == use.field && !use.secret {
		value = after
	}
	if sensitive && len(used) == 0 {
		d.noteSecret(t, value, wording.Shorten(use.field), true)
		if fields := strings.Fields(value); len(fields) == 2 { // Bearer …, Basic …
			d.noteSecret(t, fields[1], "", false)
		}
	}
	if !use.url {
		return
	}
	u, err := url.Parse(t.Value)
	if err != nil {
		return
	}
	if password, has := u.User.Password(); has {
		d.noteSecret(t, password, "the password in the url", true)
	}
	for name, values := range u.Query() {
		for _, value := range values {
			if sensitiveName().MatchString(name) {
				d.noteSecret(t, value, wording.Shorten(name)+" in the url", true)
			}
		}
	}
}

// noteSecret registers one secret; one that is too short is told, when a name said
// that it is a secret.
func (d *decoder) noteSecret(t Text, value, what string, tell bool) {
	switch {
	case d.assume: // it is no secret at all
	case isSecret(value):
		d.secrets = append(d.secrets, value)
	case tell && value == "":
		d.found.Warn(t.Pos, "short-secret", what+" is empty", "give it a value")
	case tell:
		d.found.Warn(t.Pos, "short-secret", fmt.Sprintf("%s is shorter than %d characters, so it is not kept out of logs and results", what, leastSecret), "use a longer secret")
	}
}

// forwarded are the variables of the host that make TLS, proxies and npm's registry work
// on machines where they are needed. Every server that is started gets them.
var forwarded = []string{
	"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	"npm_config_registry", "npm_config_cache",
}

// Forwarded are the names of the variables that every server that is started gets when the
// host has them, because TLS, proxies and npm's registry depend on them. A user and a
// password in one are Secrets of each File.
func Forwarded() []string { return forwarded }

// noteForwarded registers the users and passwords in the addresses of proxies and of a
// registry.
func (d *decoder) noteForwarded() {
	if d.assume {
		return // and the caller may list what is looked up as what the file asks for
	}
	for _, name := range forwarded {
		if value, set := d.lookup(name); set {
			d.secrets = append(d.secrets, userinfoSecrets(value)...)
		}
	}
}

// userinfoSecrets are what is secret of a user and a password in an address: the password,
// and the pair as Basic authorization sends it; without a password the user, which is a
// token then. Each as it is written, and decoded.
func userinfoSecrets(address string) []string {
	if _, after, ok := strings.Cut(address, "://"); ok {
		address = after
	}
	authority, _, _ := strings.Cut(address, "/")
	at := strings.LastIndexByte(authority, '@')
	if at < 0 { // a password may hold a slash that should be escaped
		if at = strings.LastIndexByte(address, '@'); at < 0 || !strings.Contains(authority, ":") {
			return nil
		}
		authority = address
	}
	written := authority[:at]
	values := []string{written}
	if decoded, err := url.PathUnescape(written); err == nil {
		values = append(values, decoded)
	}
	for _, pair := range values {
		if _, password, has := strings.Cut(pair, ":"); has {
			values = append(values, password)
		}
	}
	return values
}
