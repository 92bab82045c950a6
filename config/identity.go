package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/netip"
	"net/url"
	"reflect"
	"strings"

	"toolgraph/internal/base/wording"
)

var (
	variableText = wording.Pattern(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:[-?][^}]*)?\}`)
	userInfo     = wording.Pattern(`://[^/@\s]*:[^/@\s]*@`)
	namedSecret  = wording.Pattern(`(?i)([a-z0-9_-]*(?:key|token|secret|password|passwd|auth|credential)[a-z0-9_-]*\s*[:=]\s*)([^&#]+)`)
)

// nameable returns a text of a server's definition for other files: with the names of its
// variables, and without values that are secret by the name of field or by the text itself.
func nameable(text, field string) string {
	text = variableText().ReplaceAllStringFunc(text, func(v string) string {
		parts := variableText().FindStringSubmatch(v)
		if sensitiveName().MatchString(parts[1]) {
			return "${" + parts[1] + "}" // its default is a secret, too
		}
		return v
	})
	if sensitiveName().MatchString(field) && !strings.HasPrefix(text, field+"=") {
		return veiled(text)
	}
	text = userInfo().ReplaceAllString(text, "://"+redacted+"@")
	return namedSecret().ReplaceAllStringFunc(text, func(found string) string {
		parts := namedSecret().FindStringSubmatch(found)
		return parts[1] + veiled(parts[2])
	})
}

// veiled returns the variables of a secret, or [redacted] when it has none.
func veiled(secret string) string {
	if names := variableText().FindAllString(secret, -1); names != nil {
		return strings.Join(names, "")
	}
	return redacted
}

// commandLine returns words as a shell command; words with one of the quoted characters are in
// quotes. Different words give different commands.
func commandLine(words []string, quoted string) string {
	typed := make([]string, len(words))
	for i, w := range words {
		typed[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\"+quoted) {
			typed[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(typed, " ")
}

// namesLoopback reports whether the host of a url is loopback and comes from the file alone.
// written is the url with an x for each value from the environment, so that the two differ where
// a variable is part of the scheme, the host or the port.
func namesLoopback(written, address string) bool {
	byFile, err := url.Parse(written)
	if err != nil {
		return false
	}
	full, err := url.Parse(address)
	return err == nil && byFile.Scheme == full.Scheme && byFile.Host == full.Host && isLoopback(full.Hostname())
}

// isLoopback reports whether a host is localhost, in 127.0.0.0/8, or ::1. Other spellings, such as
// ::ffff:127.0.0.1 or 2130706433, need allowPrivate.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() && !ip.Is4In6() && ip.Zone() == ""
}

// Fingerprint identifies what the entry starts or connects to: it is equal for entries that differ in
// their names, places and limits only. It is a hash of secrets, too, and must not leave the process.
func (u *Upstream) Fingerprint() string {
	same := *u
	same.Name, same.Rate, same.Timeout, same.StartTimeout, same.MaxInFlight = Text{}, nil, 0, 0, 0
	return same.Key()
}

// Key is equal for entries that differ in their places only. It is a hash of secrets, too, and must not leave the
// process.
func (u *Upstream) Key() string {
	src, err := json.Marshal(withoutPlaces(reflect.ValueOf(*u)))
	if err != nil { // it consists of texts, numbers, booleans and lists
		panic("config: the definition of a server cannot be encoded: " + err.Error())
	}
	sum := sha256.Sum256(src)
	return hex.EncodeToString(sum[:])
}

// withoutPlaces returns a value of file.go as plain slices and texts, without the places in
// it. Two values that mean the same are deeply equal then: nil equals an empty list, and the
// order of keys and the spelling of numbers in Data count as in JSON.
func withoutPlaces(v reflect.Value) any {
	switch known := v.Interface().(type) {
	case Pos:
		return nil
	case Text:
		return known.Value
	case *Data:
		return string(known.JSON())
	}
	parts := []any{}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return withoutPlaces(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			parts = append(parts, withoutPlaces(v.Index(i)))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			parts = append(parts, withoutPlaces(v.Field(i)))
		}
	default:
		return v.Interface()
	}
	return parts
}
