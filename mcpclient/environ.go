package mcpclient

import (
	"os"
	"runtime"
	"slices"
	"strings"

	"toolgraph/config"
)

// safeBase are the variables of our environment that every server gets, with
// config.Forwarded. Nothing else of it is passed on: it holds other servers' secrets and
// variables that change how programs load code (LD_PRELOAD, NODE_OPTIONS, BASH_ENV).
var safeBase = map[string]bool{
	"PATH": true, "HOME": true, "LANG": true, "TMPDIR": true, "USER": true, "SHELL": true, "TERM": true,
}

// windowsBase is what programs on Windows cannot start without.
var windowsBase = map[string]bool{
	"APPDATA": true, "COMSPEC": true, "HOMEDRIVE": true, "HOMEPATH": true, "LOCALAPPDATA": true, "PATHEXT": true,
	"PROGRAMDATA": true, "PROGRAMFILES": true, "SYSTEMDRIVE": true, "SYSTEMROOT": true, "TEMP": true, "TMP": true,
	"USERNAME": true, "USERPROFILE": true, "WINDIR": true,
}

// environ is the environment of a server: the safe base of ours and what its entry
// in the file lists, which wins.
func environ(ours []string, listed []config.Setting) []string {
	set := make(map[string]bool, len(listed))
	for _, s := range listed {
		set[s.Name.Value] = true
	}
	env := make([]string, 0, len(safeBase)+len(listed))
	for _, entry := range ours {
		name, _, _ := strings.Cut(entry, "=")
		if !set[name] && passedOn(name) {
			env = append(env, entry)
		}
	}
	for _, s := range listed {
		env = append(env, s.Name.Value+"="+s.Value.Value)
	}
	return env
}

func passedOn(name string) bool {
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name)
		return safeBase[name] || windowsBase[name] ||
			slices.ContainsFunc(config.Forwarded(), func(f string) bool { return strings.EqualFold(f, name) })
	}
	return safeBase[name] || strings.HasPrefix(name, "LC_") || slices.Contains(config.Forwarded(), name)
}

// searchPath is the PATH in which a server's command is looked for: the server's
// own when its entry sets one.
func searchPath(listed []config.Setting) string {
	for _, s := range listed {
		if s.Name.Value == "PATH" {
			return s.Value.Value
		}
	}
	return os.Getenv("PATH")
}
