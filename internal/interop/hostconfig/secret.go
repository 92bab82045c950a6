package hostconfig

import (
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/keys"
	"toolgraph/internal/base/wording"
)

// Variable is an environment variable that takes the place of a literal secret.
type Variable struct {
	Name string     `json:"name"`
	Pos  config.Pos `json:"place"` // of the secret in the host's file
	For  string     `json:"for"`   // the place in the entry: env GITHUB_TOKEN
}

// holder is what a text belongs to, which decides whether it is a secret and how the variable in
// its place is named.
type holder struct {
	where  string // env, headers, args, url
	name   string // of the setting, header or flag; "" for none
	prefix string // of the name of the variable: that of the server, unless the setting's name will do
}

var (
	// schemes precede the secret in an Authorization header.
	scheme = wording.Pattern(`^(?i)(bearer|basic|token|apikey|api-key)\s+`)
	// assigned is a name and its value in one argument: --api-key=x, KEY=x, Authorization: Bearer x.
	assigned = wording.Pattern(`^(-{0,2}[A-Za-z][A-Za-z0-9_.-]*)(=|:\s*)(.+)$`)
	// address is a URL inside of a text, up to its end.
	address = wording.Pattern(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>]+`)
	// random are long words that may be keys without such a form.
	random  = wording.Pattern(`[A-Za-z0-9_-]{24,}`)
	hexWord = wording.Pattern(`^[0-9a-fA-F]{32,}$`)
	// switches are values of settings that are called like secrets: USE_AUTH=true, MAX_TOKENS=4096.
	switches  = wording.Pattern(`^(?i)(|true|false|on|off|yes|no|none|null)$`)
	number    = wording.Pattern(`^[0-9]{1,5}$`)
	shortName = wording.Pattern(`(?i)pin|otp|pass|pwd`)
)

// guarded replaces the literal secrets in the parts of a text by references to variables.
func (e *entryReader) guarded(parts []piece, of holder, pos config.Pos) []piece {
	var out []piece
	add := func(text string) {
		if text != "" {
			out = append(out, piece{text: text})
		}
	}
	for _, p := range parts {
		if p.variable != "" {
			if p.fallback != "" && (isLiteral(of.name, p.fallback) || isLiteral(p.variable, p.fallback) || looksIssued(p.fallback)) {
				p = e.secret(p.fallback, holder{where: of.where, name: p.variable}, pos)
			}
			out = append(out, p)
			continue
		}
		text := p.text
		if len(parts) == 1 && isLiteral(of.name, text) {
			lead := scheme().FindString(text)
			add(lead)
			out = append(out, e.secret(text[len(lead):], of, pos))
			continue
		}
		known := 0
		if len(parts) == 1 {
			known = knownPath(text)
		}
		out = append(out, e.withoutKeys(text[:known], findKey, of, pos)...)
		out = append(out, e.withoutKeys(text[known:], findSecret, of, pos)...)
	}
	return out
}

// withoutKeys is guarded for the parts of a text that find returns.
func (e *entryReader) withoutKeys(text string, find func(string) (from, to int, name string), of holder, pos config.Pos) (out []piece) {
	for from, to, name := find(text); from >= 0; from, to, name = find(text) {
		if from > 0 {
			out = append(out, piece{text: text[:from]})
		}
		inner := of
		if !SecretName(of.name) {
			inner.name, inner.prefix = name, e.name
		}
		out = append(out, e.secret(text[from:to], inner, pos))
		text = text[to:]
	}
	if text != "" {
		out = append(out, piece{text: text})
	}
	return out
}

// argument is guarded for an argument of a command line, which may be the value of the flag before
// it, or have a name itself.
func (e *entryReader) argument(parts []piece, flag string, pos config.Pos) []piece {
	of := holder{where: "args", name: flag, prefix: e.name}
	if len(parts) == 0 || parts[0].variable != "" {
		return e.guarded(parts, of, pos)
	}
	m := assigned().FindStringSubmatch(parts[0].text)
	if m == nil || strings.HasPrefix(m[3], "//") {
		if m = assigned().FindStringSubmatch(parts[0].text + "x"); m == nil || len(parts) == 1 || !SecretName(m[1]) {
			return e.guarded(parts, of, pos)
		}
		m[3] = strings.TrimSuffix(m[3], "x")
	}
	of.name = strings.TrimLeft(m[1], "-")
	if isEnvironment(of.name) {
		of.prefix = ""
	}
	value := append([]piece{}, parts...)
	if value[0].text = m[3]; m[3] == "" {
		value = value[1:]
	}
	return append([]piece{{text: m[1] + m[2]}}, e.guarded(value, of, pos)...)
}

// secret returns the reference that takes the place of a secret. Equal secrets of one name share a
// variable; another secret gets another name.
func (e *entryReader) secret(value string, of holder, pos config.Pos) piece {
	base := variableName(of.prefix, strings.TrimPrefix(strings.ToLower(of.name), "x-"))
	if strings.EqualFold(of.name, "authorization") {
		base = variableName(of.prefix, "token")
	}
	name := e.free(base, value)
	e.secrets[name] = value
	where := of.where
	if of.name != "" {
		where += " " + of.name
	}
	e.set = append(e.set, Variable{Name: name, Pos: pos, For: where})
	return piece{variable: name, source: value}
}

// free returns a name like base for a variable that no other value has.
func (e *entryReader) free(base, value string) string {
	name := base
	taken := func() bool {
		secret, own := e.secrets[name], e.values[name]
		return secret != "" && secret != value || own != "" && own != value
	}
	if own := variableName(e.name); taken() && !strings.HasPrefix(base, own+"_") {
		base = own + "_" + base
		name = base
	}
	for n := 2; taken(); n++ {
		name = base + "_" + strconv.Itoa(n)
	}
	return name
}

// longestPath is how long paths are that are looked up, in bytes: no system has longer ones.
const longestPath = 4096

// knownPath returns how much of an absolute path on this machine exists, in bytes; 0 for another text. The long name of a
// directory is no key, and would be redacted in all that the server answers.
func knownPath(text string) int {
	if !filepath.IsAbs(text) || len(text) > longestPath || strings.HasPrefix(text, `\\`) {
		return 0
	}
	for dir := filepath.Clean(text); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil && strings.HasPrefix(text, dir) {
			return len(dir)
		}
		if dir == filepath.Dir(dir) {
			return 0
		}
	}
}

// findSecret returns the first part of a text that is a secret whatever it belongs to, and a word
// for it; from is -1 without one.
func findSecret(text string) (from, to int, name string) {
	from, to, name = findKey(text)
	for _, at := range random().FindAllStringIndex(text, -1) {
		if isRandom(text[at[0]:at[1]]) && !strings.HasSuffix(text[:at[0]], "sha256:") {
			if from < 0 || at[0] < from {
				from, to, name = at[0], at[1], "key"
			}
			break
		}
	}
	return from, to, name
}

// findKey is findSecret without words that only look random.
func findKey(text string) (from, to int, name string) {
	from = -1
	found := func(at, end int, word string) {
		if at >= 0 && at < end && (from < 0 || at < from) {
			from, to, name = at, end, word
		}
	}
	for _, at := range address().FindAllStringIndex(text, -1) {
		start, end, word := inAddress(text[at[0]:at[1]])
		if start >= 0 {
			found(at[0]+start, at[0]+end, word)
		}
	}
	if at := keys.Issued().FindStringIndex(text); at != nil {
		found(at[0], at[1], "token")
	}
	return from, to, name
}

// inAddress returns the password of a URL, or else the value of the first parameter with a secret
// name.
func inAddress(text string) (from, to int, name string) {
	_, rest, _ := strings.Cut(text, "://")
	start := len(text) - len(rest)
	authority := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority = rest[:end]
	}
	if user, _, has := cutLast(authority, "@"); has {
		name, password, _ := strings.Cut(user, ":")
		if password != "" {
			return start + len(name) + 1, start + len(user), "password"
		}
	}
	_, query, _ := strings.Cut(text, "?")
	at := len(text) - len(query)
	for parameter := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(parameter, "=")
		if plain, err := url.QueryUnescape(key); err == nil && isLiteral(plain, value) {
			return at + len(key) + 1, at + len(parameter), plain
		}
		at += len(parameter) + 1
	}
	return -1, -1, ""
}

// isLiteral reports whether the value of a setting is a secret because of the setting's name.
func isLiteral(name, value string) bool {
	switch {
	case !SecretName(name), switches().MatchString(value):
		return false
	case number().MatchString(value):
		return shortName().MatchString(name)
	}
	return true
}

// IsSecret reports whether a text is a literal secret because of the name of what it belongs to, or
// has one in it that looks like a key.
func IsSecret(name, text string) bool { return isLiteral(name, text) || looksIssued(text) }

// SecretWord returns where the literal secret of a word of a command line begins, in bytes, and the
// name that it has there; from is -1 without one. before is the word before it, which may be a flag.
func SecretWord(before, word string) (from int, name string) {
	if m := assigned().FindStringSubmatch(word); m != nil && !strings.HasPrefix(m[3], "//") && IsSecret(m[1], m[3]) {
		return len(m[1]) + len(m[2]), strings.TrimLeft(m[1], "-")
	}
	flag := strings.TrimLeft(before, "-")
	if flag == before || strings.HasPrefix(word, "-") {
		flag = ""
	}
	if IsSecret(flag, word) {
		return 0, flag
	}
	return -1, ""
}

func cutLast(text, sep string) (before, after string, found bool) {
	at := strings.LastIndex(text, sep)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+len(sep):], true
}

func looksIssued(text string) bool { at, _, _ := findSecret(text); return at >= 0 }

// isRandom reports whether a long word looks like a generated key: a hash, or digits between
// letters of both cases.
func isRandom(word string) bool {
	return hexWord().MatchString(word) ||
		strings.ContainsAny(word, "0123456789") && strings.ToLower(word) != word && strings.ToUpper(word) != word &&
			strings.Count(word, "-")+strings.Count(word, "_") <= len(word)/12
}

// isEnvironment reports whether a name is written like that of an environment variable.
func isEnvironment(name string) bool {
	return name == strings.ToUpper(name) && identifier().FindString(name) == name
}
