package graphtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolgraph/config"
	"toolgraph/internal/project"
)

// vars returns the values that a test gives to constants; nil for none.
func (r *reader) vars(data *config.Data, who string) map[string]*config.Data {
	given := r.mapping(data, "vars", who, "a mapping of names of constants to values")
	if len(given.Keys) == 0 {
		return nil
	}
	vars := make(map[string]*config.Data, len(given.Keys))
	for i, key := range given.Keys {
		vars[key.Value] = given.Items[i]
	}
	return vars
}

// varsKey returns a text that is the same for cases with the same values for constants.
func (c *Case) varsKey() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.Vars)) {
		fmt.Fprintf(&b, "%s=%s\x00", name, c.Vars[name].JSON())
	}
	return b.String()
}

// loadGraph loads the graph file, in which each environment variable counts as set.
func (r *runner) loadGraph(ctx context.Context, vars map[string]*config.Data) (*project.Project, error) {
	return r.opts.Load(ctx, r.suite.Graph, config.Options{
		ServersFile: r.opts.ServersFile, AssumeEnv: true, Vars: r.opts.Vars, VarValues: vars,
		LookupEnv: func(string) (string, bool) { return "", false },
	})
}

// loadOthers loads the graph file once more for each set of other constants that a case has.
func (r *runner) loadOthers(ctx context.Context) error {
	r.others = map[string]*project.Project{"": r.project}
	var wrong []error
	for _, c := range r.suite.Cases {
		key := c.varsKey()
		if _, known := r.others[key]; known {
			continue
		}
		p, err := r.loadGraph(ctx, c.Vars)
		r.others[key] = p
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
}
