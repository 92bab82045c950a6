package mcpclient

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"toolgraph/config"
)

// withheld are the names of the variables that a server was not given, those first that
// are likely to matter to it: which have to do with its name or its program, then which
// are not the shell's, the desktop's or the terminal's own.
func withheld(ours []string, u *config.Upstream) []string {
	var names []string
	for _, entry := range ours {
		name, _, _ := strings.Cut(entry, "=")
		listed := slices.ContainsFunc(u.Env, func(s config.Setting) bool { return s.Name.Value == name })
		if !listed && variableLike().MatchString(name) && !passedOn(name) && !ofTheSession().MatchString(name) {
			names = append(names, name)
		}
	}
	own := ownWords(u)
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a, own), rank(b, own)), cmp.Compare(a, b))
	})
	return slices.Compact(names)
}

var (
	variableLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })
	ofTheSession = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(_|PWD|OLDPWD|SHLVL|LOGNAME|MAIL|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE|EDITOR|VISUAL|PAGER|MANPATH|INFOPATH|DISPLAY|WINDOWID|COLORTERM|LINES|COLUMNS|INVOCATION_ID|JOURNAL_STREAM|` +
			`(BASH|ZSH|FISH|PS|HIST|LESS|LS|SSH|GPG|XDG|DBUS|GDM|GNOME|GTK|QT|KDE|WAYLAND|TERM|VTE|TMUX|STY|ITERM|TOOLGRAPH)[A-Z0-9_]*)$`)
	})
	// What programs of many kinds look at: keys, addresses, certificates, runtimes, packages.
	widelyRead = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)key|token|secret|password|auth|credential|proxy|cert|ssl|tls|_(url|uri|host|port|home|path|dir|profile|region)$|^(node|npm|python|pip|uv|java|go|docker|aws|azure|google)`)
	})
	wordInName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z0-9]{3,}`) })
)

// ownWords are the words by which a server, its program and its packages are called.
func ownWords(u *config.Upstream) []string {
	said := []string{u.Name.Value, filepath.Base(u.Command.Value)}
	for _, a := range u.Args {
		if len(a.Value) < 100 && !strings.HasPrefix(a.Value, "-") && !filepath.IsAbs(a.Value) {
			said = append(said, a.Value)
		}
	}
	words := wordInName().FindAllString(strings.ToUpper(strings.Join(said, " ")), -1)
	return slices.DeleteFunc(words, func(w string) bool { return w == "MCP" || w == "SERVER" || w == "MODELCONTEXTPROTOCOL" })
}

// rank is 0 for a name that has to do with the server, 1 for one that many programs read,
// 2 for others.
func rank(name string, own []string) int {
	parts := strings.Split(strings.ToUpper(name), "_")
	switch {
	case slices.ContainsFunc(own, func(word string) bool { return slices.Contains(parts, word) }):
		return 0
	case widelyRead().MatchString(name):
		return 1
	}
	return 2
}

// withheldHint names the variables that a server that does not come up may be waiting for,
// and how it gets them; empty when there are none. Values are never named.
func withheldHint(names []string) string {
	if len(names) == 0 {
		return ""
	}
	shown, more := names, ""
	if len(names) > namesShown {
		shown, more = names[:namesShown], fmt.Sprintf(" and %d more", len(names)-namesShown)
	}
	return fmt.Sprintf("it was started without these variables of the environment: %s%s; if it needs one, list it under env of the server, in the graph file or the file given with -m: env: {%[3]s: \"${%[3]s}\"}",
		strings.Join(shown, ", "), more, names[0])
}
