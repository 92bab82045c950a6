package graphtest

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/internal/project"
)

// servers connects cases with the servers of their graph file. Cases with the same
// variables share them. It belongs to one goroutine.
type servers struct {
	graph string
	opts  Options
	byEnv map[string]*connected
	temps []string
}

type connected struct {
	project *project.Project
	caller  execution.ToolCaller
	end     func()
}

// of returns the surroundings of a case.
func (s *servers) of(ctx context.Context, c *Case) (surroundings, error) {
	p, err := directoryOf(s.graph)
	if err != nil {
		return surroundings{}, err
	}
	if c.names(tempPlace) {
		temp, err := os.MkdirTemp("", "toolgraph-test-")
		if err != nil {
			return surroundings{}, err
		}
		s.temps = append(s.temps, temp)
		p = append(p, placeOf(tempPlace, temp)...)
	}
	env := c.filled(p).Env
	key := envKey(env) + "\x00" + c.varsKey()
	shared := s.byEnv[key]
	if shared == nil {
		if shared, err = s.connect(ctx, env, c.Vars); err != nil {
			return surroundings{}, err
		}
		s.byEnv[key] = shared
	}
	return surroundings{project: shared.project, caller: shared.caller, fills: p, known: p}, nil
}

func envKey(env map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(env)) {
		b.WriteString(name + "=" + env[name] + "\x00")
	}
	return b.String()
}

// connect loads the graph file with the variables of a case over those of this process, and its
// constants. A server
// without a directory runs in that of the graph file, wherever the tests are run.
func (s *servers) connect(ctx context.Context, env map[string]string, vars map[string]*config.Data) (*connected, error) {
	dir, err := filepath.Abs(filepath.Dir(s.graph))
	if err != nil {
		return nil, err
	}
	p, err := s.opts.Load(ctx, s.graph, config.Options{
		ServersFile: s.opts.ServersFile, Vars: s.opts.Vars, VarValues: vars,
		LookupEnv: func(name string) (string, bool) {
			if value, ok := env[name]; ok {
				return value, true
			}
			return os.LookupEnv(name)
		},
	})
	if err != nil {
		return nil, err
	}
	for _, u := range p.File.Servers {
		if u.Dir == "" {
			u.Dir = dir
		}
	}
	caller, end, err := s.opts.Connect(p)
	if err != nil {
		return nil, err
	}
	return &connected{project: p, caller: caller, end: end}, nil
}

// close ends all servers and removes the directories of the cases.
func (s *servers) close() {
	for _, c := range s.byEnv {
		c.end()
	}
	for _, dir := range s.temps {
		_ = os.RemoveAll(dir) // the system cleans its temporary directory
	}
}
