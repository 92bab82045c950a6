package config

import (
	"regexp"
	"strings"
	"sync"
)

var (
	variableText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:[-?][^}]*)?\}`) })
	userInfo     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`://[^/@\s]*:[^/@\s]*@`) })
	namedSecret  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)([a-z0-9_-]*(?:key|token|secret|password|passwd|auth|credential)[a-z0-9_-]*\s*[:=]\s*)([^&#]+)`)
	})
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
