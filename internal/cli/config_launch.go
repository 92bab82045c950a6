package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/interop/hostconfig"
	"toolgraph/internal/program"
	"toolgraph/internal/project/registry"
)

// launch returns how a host reaches the graph file: this program with absolute paths, and the
// environment variables that the files read.
func (f *configFlags) launch() (launch hostconfig.Launch, warnings []string, err error) {
	variables, warnings := []string{}, []string{}
	reads, defaults := map[string]int{}, map[string][]string{}
	file, err := config.Load(f.graphFile, config.Options{
		ServersFile: f.servers, Registries: registry.Paths(f.graphFile), AssumeEnv: true,
		LookupEnv: func(variable string) (string, bool) {
			if !slices.Contains(variables, variable) {
				variables = append(variables, variable)
			}
			reads[variable]++
			return "<" + variable + ">", true
		},
		NoteDefault: func(variable, value string) { defaults[variable] = append(defaults[variable], value) },
	})
	if err != nil {
		return launch, nil, err
	}
	optional := []hostconfig.Optional{}
	variables = slices.DeleteFunc(variables, func(name string) bool {
		if len(defaults[name]) < reads[name] { // somewhere it has none
			return false
		}
		o := hostconfig.Optional{Name: name}
		if values := slices.Compact(defaults[name]); len(values) == 1 && !hostconfig.IsSecret(name, "value") && !hostconfig.IsSecret("", values[0]) {
			o.Default = values[0]
		}
		optional = append(optional, o)
		return true
	})
	launch = hostconfig.Launch{
		Name: f.name, Description: file.Server.Title.Value, Timeout: file.Limits.MaxExecutionTime,
		URL: f.url, Variables: variables, Optional: optional, IsSelf: isSelf, Force: f.force,
	}
	if launch.Name == "" {
		launch.Name = file.Server.Name.Value
	}
	if strings.TrimSpace(launch.Name) == "" || strings.ContainsFunc(launch.Name, func(r rune) bool { return unicode.IsControl(r) || wording.IsHidden(r) }) {
		return launch, nil, program.Usagef("the name of the entry is %s, expected visible characters; choose one with --name", wording.Quote(launch.Name))
	}
	if !plainName().MatchString(launch.Name) {
		warnings = append(warnings, fmt.Sprintf("the name %s has other characters than letters, digits, _ and -, which not every host accepts; choose one with --name", wording.Quote(launch.Name)))
	}
	if f.url != "" {
		launch.Variables, launch.Optional = []string{}, []hostconfig.Optional{}
		return launch, append(warnings, "a server that requires a token gets none from this entry; add the header Authorization as the host describes it, with a reference to a variable"), nil
	}
	if launch.Command, err = programPath(); err != nil {
		return launch, nil, err
	}
	for _, a := range []struct{ flag, path string }{{"-g", f.graphFile}, {"-m", f.servers}} {
		if a.path == "" {
			continue
		}
		path, err := filepath.Abs(a.path)
		if err != nil {
			return launch, nil, err
		}
		launch.Args = append(launch.Args, a.flag, path)
	}
	flags, more, err := f.serveFlags(file)
	launch.Args = append(launch.Args, flags...)
	return launch, slices.Concat(warnings, more, relativePaths(file)), err
}

var plainName = wording.Pattern(`^[A-Za-z0-9_-]+$`)

// relativePaths warns of arguments and variables of servers that mean another file in each directory
// in which a host starts this program.
func relativePaths(file *config.File) (warnings []string) {
	for _, u := range file.Servers {
		if u.Dir != "" || u.Transport != config.Stdio {
			continue
		}
		warn := func(text config.Text, what string) {
			if isRelativePath(text.Value, filepath.Dir(file.Path)) {
				warnings = append(warnings, fmt.Sprintf("%s: %s of server %s is the relative path %s, and hosts start servers in any directory; add cwd to the server, or write an absolute path",
					text.Pos, what, wording.Quote(u.Name.Value), wording.Quote(text.Value)))
			}
		}
		for i, arg := range u.Args {
			warn(arg, fmt.Sprintf("argument %d", i+1))
		}
		for _, s := range u.Env {
			warn(s.Value, s.Name.Value)
		}
	}
	return warnings
}

// isRelativePath reports whether a word is the relative path of something: it is written as one, or
// there is such a file beside the graph file or in this directory.
func isRelativePath(word, dir string) bool {
	if word == "." || word == ".." || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") {
		return true
	}
	if !filepath.IsLocal(word) || !strings.ContainsAny(word, `/\.`) {
		return false
	}
	for _, base := range []string{dir, "."} {
		if _, err := os.Stat(filepath.Join(base, word)); err == nil {
			return true
		}
	}
	return false
}
