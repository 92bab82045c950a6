package config

import (
	"net/netip"
	"net/url"
	"reflect"
	"strings"
)

var (
	variableText = pattern(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:[-?][^}]*)?\}`)
	userInfo     = pattern(`://[^/@\s]*:[^/@\s]*@`)
	namedSecret  = pattern(`(?i)([a-z0-9_-]*(?:key|token|secret|password|passwd|auth|credential)[a-z0-9_-]*\s*[:=]\s*)([^&#]+)`)
)

// nameable is a text of a server's entry as it may be written into another file: with
// its variables as they stand, and without what field or the text itself says to be
// secret. What it loses is for the reader to know from the file.
func nameable(text, field string) string {
	text = variableText().ReplaceAllStringFunc(text, func(v string) string {
		parts := variableText().FindStringSubmatch(v)
		if sensitiveName().MatchString(parts[1]) {
			return "${" + parts[1] + "}" // its default would be a secret as well
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

// veiled is a secret as it may be shown: the variables that it is made of, if any.
func veiled(secret string) string {
	if names := variableText().FindAllString(secret, -1); names != nil {
		return strings.Join(names, "")
	}
	return redacted
}

// commandLine are words as one would type them, so far that two that differ do so here.
func commandLine(words []string) string {
	typed := make([]string, len(words))
	for i, w := range words {
		typed[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\") {
			typed[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(typed, " ")
}

// namesLoopback reports whether a file itself names the loopback host and port of a
// url. written is the url as the file alone has it: where a variable of the environment
// made a part of scheme, host or port, the two differ in it.
func namesLoopback(written, address string) bool {
	byFile, err := url.Parse(written)
	if err != nil {
		return false
	}
	full, err := url.Parse(address)
	return err == nil && byFile.Scheme == full.Scheme && byFile.Host == full.Host && isLoopback(full.Hostname())
}

// isLoopback reports whether a host is written as localhost, 127.0.0.0/8 or ::1. Other
// ways to write them, such as ::ffff:127.0.0.1 or 2130706433, are left to allowPrivate.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() && !ip.Is4In6() && ip.Zone() == ""
}

// SameServers reports whether two files define the same servers, whatever their places in
// the files. A process that was started for one can then serve the other.
func SameServers(a, b []*Upstream) bool {
	return reflect.DeepEqual(withoutPlaces(reflect.ValueOf(a)), withoutPlaces(reflect.ValueOf(b)))
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
