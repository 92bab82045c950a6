package config

import "errors"

// Options of Load and Parse.
type Options struct {
	ServersFile string                      // a second file, {"mcpServers": {…}}; "" for none
	LookupEnv   func(string) (string, bool) // for ${VAR}; nil: os.LookupEnv
}

// Load reads the graph file at path. The error is Diagnostics when the file was read.
func Load(path string, opts Options) (*File, error) { return nil, errors.New("not built yet") }

// Parse is Load for bytes in hand. It never panics.
func Parse(path string, src []byte, opts Options) (*File, error) {
	return nil, errors.New("not built yet")
}
