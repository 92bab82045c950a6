package mcpclient

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"sync"

	"toolgraph/internal/base/wording"
)

// secretName matches names of what no form may ask for, without separators. The list is short, so that
// a number of tokens or the key of a record can be asked for.
var secretName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)password|passwd|passphrase|passcode|secret|credential|(api|private|access|secret)key|(access|auth|bearer|refresh|api)token|cvv|cardnumber`)
})

// separator matches what may be between the words of a name.
var separator = wording.Pattern(`[\s_.-]+`)

// secretField returns the first field, by name, of the form in the params of elicitation/create that
// asks for a secret; empty when there is none. MCP requires a URL for that, because the host and all
// programs on the way see what is filled in. A question in the message alone is not recognised.
func secretField(params json.RawMessage) string {
	var in struct {
		Schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"requestedSchema"`
	}
	if json.Unmarshal(params, &in) != nil {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(in.Schema.Properties)) {
		var field struct {
			Type, Title, Format any
			Enum                any
		}
		if json.Unmarshal(in.Schema.Properties[name], &field) != nil || field.Type != "string" && field.Type != nil || field.Enum != nil {
			continue
		}
		title, _ := field.Title.(string)
		if field.Format == "password" || isSecretName(name) || isSecretName(title) {
			return name
		}
	}
	return ""
}

func isSecretName(name string) bool {
	return secretName().MatchString(separator().ReplaceAllString(name, ""))
}
