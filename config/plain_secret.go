package config

import (
	"strings"

	"toolgraph/internal/base/wording"
)

var (
	secretPart   = wording.Pattern(`(?i)token|secret|passw|credential|apikey`)
	userPassword = wording.Pattern(`://[^/@\s]*:([^/@\s]+)@`)
)

// PlainSecret reports whether a text of a server's entry holds a secret itself, where ${VAR}
// should stand. setting is the name of the text: that of a variable, a header or a flag; "" for an
// argument without a flag and for a URL. By name, settings such as apiKey and db_password are
// secrets; in the text, the value after such a name, and the password of a URL. A default, as in
// ${TOKEN:-default}, is a text. Values that are too short to be redacted are no secrets.
func PlainSecret(setting, text string) bool {
	for _, v := range variableText().FindAllStringSubmatch(text, -1) {
		value, isDefault := strings.CutPrefix(v[2], ":-")
		if isDefault && isSecret(value) && (namesSecret(setting) || namesSecret(v[1])) {
			return true
		}
	}
	if namesSecret(setting) {
		if value, ok := strings.CutPrefix(text, setting+"="); ok {
			text = value
		}
		return isWritten(text)
	}
	if password := userPassword().FindStringSubmatch(text); password != nil && isWritten(password[1]) {
		return true
	}
	for _, found := range namedSecret().FindAllStringSubmatch(text, -1) {
		if namesSecret(found[1]) && isWritten(found[2]) {
			return true
		}
	}
	return false
}

// namesSecret is SecretName, and also true for words run together, such as authtoken.
func namesSecret(name string) bool { return SecretName(name) || secretPart().MatchString(name) }

// isWritten reports whether the value of a secret is written out, without variables.
func isWritten(value string) bool { return isSecret(value) && !variableText().MatchString(value) }
