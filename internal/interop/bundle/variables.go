package bundle

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
)

// placeholder is the value of a variable while a bundle is made: it is recognized where it is used.
func placeholder(name string) (string, bool) { return "<value of " + name + ">", true }

// isAsked reports whether a text depends on a variable.
func isAsked(text string) bool { return strings.Contains(text, "<value of ") }

// variables returns the settings of the environment variables that the entries of servers read.
func (k *packer) variables() (map[string]Setting, error) {
	users := map[string][]string{}
	for _, u := range k.file.Servers {
		for _, name := range u.Variables {
			users[name] = append(users[name], u.Name.Value)
		}
	}
	if len(users) > mostVariables {
		return nil, fmt.Errorf("%s reads %d environment variables, and a bundle asks for at most %d; read fewer", k.file.Path, len(users), mostVariables)
	}
	settings := map[string]Setting{}
	for _, name := range sortedKeys(users) {
		value, _ := placeholder(name)
		s := Setting{
			Type: "string", Title: name, Required: k.requires(name),
			Description: fmt.Sprintf("Environment variable %s, for %s", name, wording.List(slices.Compact(users[name]))),
			Sensitive:   config.SecretName(name) || k.isSecret(value),
		}
		if !s.Required { // a host replaces only settings that have a value
			s.Default = new(string)
		}
		settings[name] = s
	}
	return settings, nil
}

// requires reports whether the file cannot be served without a variable: it has no default for it.
func (k *packer) requires(variable string) bool {
	_, err := config.Load(k.file.Path, config.Options{LookupEnv: func(name string) (string, bool) {
		if name == variable {
			return "", false
		}
		return placeholder(name)
	}})
	var found config.Diagnostics
	return errors.As(err, &found) && slices.ContainsFunc(found, func(d config.Diagnostic) bool { return d.Code == "unset-variable" })
}

// named is a text of a server's entry: the name of the variable, header or flag that it is the
// value of, "" for none, and its place.
type named struct {
	setting string
	config.Text
}

// texts returns the texts of the entry of a server that may have a secret.
func texts(u *config.Upstream) []named {
	var all []named
	for _, s := range slices.Concat(u.Env, u.Headers) {
		all = append(all, named{s.Name.Value, s.Value})
	}
	lines := [][]config.Text{u.Args}
	for _, p := range u.Programs {
		lines = append(lines, p.Command)
	}
	for _, words := range lines {
		all = append(all, flagged(words)...)
	}
	return append(all, named{"", u.URL})
}

// flagged returns the words of a command line with the flags that they are the values of.
func flagged(words []config.Text) []named {
	var all []named
	flag := ""
	for _, word := range words {
		name, _, isSet := strings.Cut(word.Value, "=")
		isFlag := strings.HasPrefix(name, "-")
		switch {
		case isFlag && isSet:
			all, flag = append(all, named{name, word}), ""
		case isFlag:
			flag = name
		default:
			all, flag = append(all, named{flag, word}), ""
		}
	}
	return all
}

// isSecret reports whether the placeholder of a variable is the value of a header, or of a setting
// whose name is that of a secret.
func (k *packer) isSecret(placeholder string) bool {
	return slices.ContainsFunc(k.file.Servers, func(u *config.Upstream) bool {
		return slices.ContainsFunc(u.Headers, func(s config.Setting) bool { return strings.Contains(s.Value.Value, placeholder) }) ||
			slices.ContainsFunc(texts(u), func(n named) bool {
				return config.SecretName(n.setting) && strings.Contains(n.Value, placeholder)
			})
	})
}
