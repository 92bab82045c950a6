package importer

import (
	"cmp"
	"strings"

	"toolgraph/internal/authoring/habit"

	"toolgraph/config"
	"toolgraph/internal/interop/hostconfig"
)

const secretVarNote = "TODO: the value was a secret, which is not copied; give it with --var %s=TEXT."

// isSecret reports whether a text is or has a literal secret. A text with variables is none because
// of its name only.
func isSecret(name, text string) bool {
	if variable().MatchString(text) {
		name = ""
	}
	return hostconfig.IsSecret(name, text)
}

// hasSecret reports whether a value has a literal secret in it.
func hasSecret(name string, d *config.Data) bool {
	for i, item := range d.Items {
		of := name
		if d.Kind == config.KindObject {
			of += "." + d.Keys[i].Value
		}
		if hasSecret(of, item) {
			return true
		}
	}
	return d.Kind == config.KindScalar && isSecret(name, scalarText(d))
}

// isWhole reports whether a value of args is written in one piece.
func isWhole(d *config.Data) bool {
	return d.Kind == config.KindScalar || d.Kind == config.KindObject && d.Get("expr") != nil
}

// secretVar returns the name of a new variable of the file that takes the place of a secret.
func (w *pipeWriter) secretVar(name string) string {
	name = w.varNames.Unique(habit.Identifier(name, "SECRET"))
	v := config.NewText("")
	w.note(v, secretVarNote, name)
	w.vars.Set(name, v)
	w.secretVars[name] = true
	return name
}

// secretWord is hostconfig.SecretWord of words[i]; a reference to a variable is no secret.
func secretWord(words []string, i int) (from int, name string) {
	before := ""
	if i > 0 {
		before = words[i-1]
	}
	if variable().MatchString(words[i]) && !hostconfig.IsSecret("", words[i]) {
		return -1, ""
	}
	return hostconfig.SecretWord(before, words[i])
}

// withoutSecrets returns the words of a program with variables of the file in the place of secrets.
func (w *pipeWriter) withoutSecrets(words []string) []string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = word
		if from, name := secretWord(words, i); from >= 0 {
			of := w.secretVar(cmp.Or(name, "SECRET"))
			w.pipe.vars[of] = of
			out[i] = word[:from] + "${" + of + "}"
		}
	}
	return out
}

// serverArgs returns the arguments of a server's command, with environment variables in the place
// of secrets.
func (w *pipeWriter) serverArgs(server string, words []string) *config.Data {
	list := textList(words[1:])
	for i, item := range list.Items {
		if from, name := secretWord(words, i+1); from >= 0 {
			of := w.secretEnv.Unique(strings.ToUpper(habit.Identifier(server+"_"+cmp.Or(name, "SECRET"), "SECRET")))
			item.Scalar = words[i+1][:from] + "${" + of + "}"
			w.note(item, "TODO: the value was a secret, which is not copied; set the variable.")
		}
	}
	return list
}
