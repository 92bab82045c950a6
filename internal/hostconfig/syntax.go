package hostconfig

import "toolgraph/config"

// syntax is the format of a host's files.
type syntax struct {
	// read returns the top level of a file, of which the wanted keys are read; without such, all.
	// The error says the place in the file; nothing of the file is in it but keys and single
	// characters.
	read func(path string, src []byte, wanted ...string) (*config.Data, error)
}

var (
	jsonSyntax = &syntax{read: readJSON}
	tomlSyntax = &syntax{read: func(path string, src []byte, _ ...string) (*config.Data, error) { return readTOML(path, src) }}
	yamlSyntax = &syntax{read: func(path string, src []byte, _ ...string) (*config.Data, error) { return readYAML(path, src) }}
)
