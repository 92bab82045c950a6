package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"toolgraph/internal/base/wording"
)

// The form of server.json of the MCP registry.
const registrySchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

var registryName = wording.Pattern(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)

// Publication is how a bundle is published in the MCP registry.
type Publication struct {
	Name string // such as io.github.OWNER/NAME
	URL  string // from which the bundle can be downloaded
}

// ServerJSON returns the server.json of a checked publication; sum is the SHA-256 of the archive in
// hexadecimal.
func (b *Bundle) ServerJSON(as Publication, sum string) ([]byte, error) {
	type object = map[string]any
	variables := []object{}
	for _, variable := range b.Variables() {
		s := b.Manifest.UserConfig[variable]
		variables = append(variables, object{"name": variable, "description": s.Description, "isRequired": s.Required, "isSecret": s.Sensitive})
	}
	pack := object{
		"registryType": "mcpb", "identifier": as.URL, "version": b.Manifest.Version, "fileSha256": sum,
		"transport": object{"type": "stdio"},
	}
	if len(variables) > 0 {
		pack["environmentVariables"] = variables
	}
	const longest = 99 // bytes, and then an ellipsis: the registry allows 100 characters
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(object{
		"$schema": registrySchema, "name": as.Name,
		"title":       wording.Truncate(b.Manifest.DisplayName, longest),
		"description": wording.Truncate(b.Manifest.Description, longest),
		"version":     b.Manifest.Version,
		"packages":    []object{pack},
	})
	return out.Bytes(), err
}

// Check rejects a publication that the registry rejects.
func (p Publication) Check() error {
	u, err := url.Parse(p.URL)
	switch {
	case !registryName().MatchString(p.Name) || len(p.Name) > 200:
		return fmt.Errorf("the registry name is %s, expected a name such as io.github.OWNER/NAME", wording.Quote(p.Name))
	case err != nil || u.Scheme != "https" || u.Host == "":
		return errors.New("the URL of the bundle is not an https URL; name the address at which a release has it")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("the URL of the bundle has a user, a query or a fragment; name the plain address")
	case !strings.Contains(strings.ToLower(p.URL), "mcp"):
		return errors.New(`the URL of the bundle does not contain "mcp", which the registry requires; end it in .mcpb`)
	}
	return nil
}
