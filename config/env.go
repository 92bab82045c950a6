package config

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"toolgraph/internal/base/wording"
)

// usage describes a text in which variables are replaced.
type usage struct {
	owner  string // in messages: env of server "x"
	field  string // the name of the setting or flag; some names mean a secret
	secret bool   // values of variables are secret whatever their names
	url    bool
	plain  bool // the value is no secret, whatever the field is called
}

var (
	variableName  = wording.Pattern(`^[A-Za-z_][A-Za-z0-9_]*`)
	sensitiveName = wording.Pattern(`(?i)key|token|secret|password|passwd|auth|credential`)
)

// expand replaces ${VAR}, ${VAR:-default}, ${VAR:?message} and ${vars.NAME}, once; $${ becomes ${.
// Replaced values are not expanded again. Secrets are collected. A result with replaced variables
// has no exact places.
func (d *decoder) expand(t Text, use usage) Text {
	result, _ := d.expandURL(t, use)
	return result
}

// expandURL is expand, and returns also the text with an x for each value from the environment.
func (d *decoder) expandURL(t Text, use usage) (result Text, written string) {
	d.bareConstants(t, use.owner)
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
				d.found.Add(t.Pos, "bad-variable", fmt.Sprintf("the variables in %s make the file longer than 4 MiB", use.owner), "use shorter values")
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

// variable is a replaced variable.
type variable struct {
	name, value string
	fromEnv     bool
	unset       bool // and reported
}

// written returns the default of the variable when it is used, else x.
func (v variable) written() string {
	if v.fromEnv || v.unset {
		return "x"
	}
	return v.value
}

// variable parses the ${…} at i and returns its value and its length.
func (d *decoder) variable(t Text, i int, use usage) (variable, int) {
	rest := t.Value[i:]
	end := strings.IndexByte(rest, '}')
	name := variableName().FindString(rest[2:])
	bad := func(message, hint string, fixes ...Fix) {
		d.found.Add(t.At(i), "bad-variable", message+" in "+use.owner, hint).Fixed(fixes...)
	}
	const literal = "write $${ for a literal ${"
	double := Replace("Write $${ for a literal ${", t, Replacement{From: i, To: i, Text: "$"})
	switch {
	case end < 0:
		bad("found ${ without }", literal, double)
		return variable{}, len(rest)
	case name == "" && strings.HasPrefix(rest, "${$vars.") && d.constantOf(rest[len("${$vars."):end]) != "":
		bad("found ${…} without the name of a variable", d.constantOf(rest[len("${$vars."):end]))
		return variable{}, end + 1
	case name == "":
		bad("found ${…} without the name of a variable", "names are letters, digits and _; "+literal, double)
		return variable{}, end + 1
	}
	if path, ok := strings.CutPrefix(rest[2:end], "vars."); ok {
		return d.varText(t, i, path, use), end + 1
	}
	d.reads = append(d.reads, name)
	value, set := d.lookup(name)
	if !set && d.assume {
		value, set = "value", true
	}
	v := variable{name: name, value: value, fromEnv: true}
	operator := rest[2+len(name) : end]
	switch {
	case operator == "":
		constant := d.constantOf(name)
		switch {
		case !set:
			v.fromEnv, v.unset = false, true
			d.found.Add(t.At(i), "unset-variable", fmt.Sprintf("environment variable %s is not set (used by %s)", name, use.owner),
				cmp.Or(constant, fmt.Sprintf("set it, or write ${%s:-default}", name)))
		case constant != "":
			d.found.Warn(t.At(i), "variable-not-replaced", fmt.Sprintf("${%s} in %s is the environment variable %[1]s, not the constant of that name", name, use.owner), constant)
		}
	case strings.HasPrefix(operator, ":-"):
		if d.noteDefault != nil {
			d.noteDefault(name, operator[2:])
		}
		if value == "" {
			v.value, v.fromEnv = operator[2:], false
		}
	case strings.HasPrefix(operator, ":?"):
		if value == "" && !d.assume {
			v.fromEnv, v.unset = false, true
			d.found.Add(t.At(i), "unset-variable", fmt.Sprintf("environment variable %s is not set (used by %s): %s", name, use.owner, wording.Shorten(operator[2:])), "set it")
		}
	case operator[0] == '.' && (name == "var" || name == "constants" || name == "const") && d.constantOf(operator[1:]) != "":
		bad("found an unknown form of ${…}", d.constantOf(operator[1:]))
		v = variable{}
	default:
		hint, fix := "expected ${NAME}, ${NAME:-default} or ${NAME:?message}; "+literal, double
		switch {
		case name == "env" && operator[0] == ':':
			hint = "write ${" + wording.Shorten(operator[1:]) + "}"
			fix = Replace("Write ${"+operator[1:]+"}", t, Replacement{From: i, To: i + end + 1, Text: "${" + operator[1:] + "}"})
		case name == "input" && operator[0] == ':':
			hint, fix = "inputs are a feature of editors; use an environment variable: ${NAME}", Fix{}
		}
		bad("found an unknown form of ${…}", hint, fix)
		v = variable{}
	}
	return v, end + 1
}

// flagName returns --NAME of an argument --NAME=value, else "".
func flagName(arg string) string {
	name, _, ok := strings.Cut(arg, "=")
	if !ok {
		return ""
	}
	return name
}

// noteSecrets collects the secrets in a text.
func (d *decoder) noteSecrets(t Text, use usage, used []variable) {
	sensitive := !use.plain && sensitiveName().MatchString(use.field)
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

// noteSecret collects one secret. With warn, a secret that is too short is reported.
func (d *decoder) noteSecret(t Text, value, what string, warn bool) {
	switch {
	case d.assume: // the value is not real
	case isSecret(value):
		d.secrets = append(d.secrets, value)
	case warn && value == "":
		d.found.Warn(t.Pos, "short-secret", what+" is empty", "give it a value")
	case warn:
		d.found.Warn(t.Pos, "short-secret", fmt.Sprintf("%s is shorter than %d characters, so it is not redacted in logs and results", what, leastSecret), "use a longer secret")
	}
}

// forwarded are the variables for TLS, proxies and npm's registry.
var forwarded = []string{
	"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
	"npm_config_registry", "npm_config_cache",
}

// Forwarded returns the names of the environment variables that every stdio server inherits,
// because TLS, proxies and npm's registry depend on them. Users and passwords in their values are
// Secrets of each File. The caller must not change the list.
func Forwarded() []string { return forwarded }

// noteForwarded collects the users and passwords in the addresses of proxies and of a registry.
func (d *decoder) noteForwarded() {
	if d.assume {
		return // callers record the lookups as the variables of the file
	}
	for _, name := range forwarded {
		if value, set := d.lookup(name); set {
			d.secrets = append(d.secrets, userinfoSecrets(value)...)
		}
	}
}

// userinfoSecrets returns the secrets in the user and password of an address: the password, and
// the pair as in Basic authorization; the user alone, a token, when it has no password. Each is
// returned as written, and decoded.
func userinfoSecrets(address string) []string {
	if _, after, ok := strings.Cut(address, "://"); ok {
		address = after
	}
	authority, _, _ := strings.Cut(address, "/")
	at := strings.LastIndexByte(authority, '@')
	if at < 0 { // a password may have an unescaped slash
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
