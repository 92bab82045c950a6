package hostconfig

import "toolgraph/config"

// syntax is the format of a host's files.
type syntax struct {
	name string
	// read returns the top level of a file, of which the wanted keys are read; without such, all.
	// The error says the place in the file; nothing of the file is in it but keys and single
	// characters.
	read func(path string, src []byte, wanted ...string) (*config.Data, error)
	// edit returns the file with want in the place of what read has returned. Only rewrite calls it,
	// which checks the result.
	edit func(path string, src []byte, want *config.Data, wanted []string) ([]byte, error)
}

var (
	jsonSyntax = &syntax{name: "JSON", read: readJSON, edit: editJSON}
	tomlSyntax = &syntax{name: "TOML", read: func(path string, src []byte, _ ...string) (*config.Data, error) { return readTOML(path, src) }, edit: editTOML}
	yamlSyntax = &syntax{name: "YAML", read: func(path string, src []byte, _ ...string) (*config.Data, error) { return readYAML(path, src) }, edit: editYAML}
)
