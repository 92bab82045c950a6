package adopt

import (
	"fmt"

	"toolgraph/internal/interop/hostconfig"
	"toolgraph/internal/project/registry"
)

// State is an adoption that was done.
type State struct {
	Name  string // of the one entry
	File  string // of the host
	Graph string // the path of the graph file that the entry serves

	host *hostconfig.Host
}

// StateOf returns the adoption of a host; nil when there is none.
func StateOf(host *hostconfig.Host, r registry.Registry) (*State, error) {
	place := placeOf(r, host)
	known, err := place.read()
	if err != nil || known == nil {
		return nil, err
	}
	return &State{Name: known.Entry, File: known.File, Graph: place.graph(), host: host}, nil
}

// Entry returns the program of the one entry and its variables, as the host's file has them. The error says that the
// host's file has no such entry.
func (s *State) Entry() (command string, env []hostconfig.Setting, err error) {
	src, err := hostconfig.Load(s.File)
	if err != nil {
		return "", nil, err
	}
	command, _, env, err = s.host.Program(s.File, src, s.Name)
	if err == nil && command == "" {
		err = fmt.Errorf("%s has no entry %q any more; to adopt again: toolgraph adopt %s, to take the adoption back: toolgraph adopt %[3]s --undo", s.File, s.Name, s.host.Name)
	}
	return command, env, err
}
