package examplefile

import (
	"os/exec"
	"strings"
)

// Case is one call of a tool and what is expected of it.
type Case struct {
	Graph  string            `json:"-"` // the path of the graph file
	Name   string            `json:"name"`
	Tool   string            `json:"tool"`
	Args   map[string]any    `json:"args"` // plain JSON values
	Env    map[string]string `json:"env"`
	Needs  []string          `json:"needs"`
	Expect Expect            `json:"expect"`
}

// Missing is the first program that the case needs and that is not on PATH, or "".
func (c Case) Missing() string {
	for _, program := range c.Needs {
		if _, err := exec.LookPath(program); err != nil {
			return program
		}
	}
	return ""
}

// Fill puts a path in the place of {name} for each name in places.
func (c *Case) Fill(places map[string]string) {
	replace := func(s string) string {
		for name, path := range places {
			s = strings.ReplaceAll(s, "{"+name+"}", path)
		}
		return s
	}
	for key, v := range c.Args {
		c.Args[key] = eachString(v, replace)
	}
	for key, v := range c.Env {
		c.Env[key] = replace(v)
	}
}

// eachString is a copy of v with f done to its strings.
func eachString(v any, f func(string) string) any {
	switch v := v.(type) {
	case string:
		return f(v)
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = eachString(item, f)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = eachString(item, f)
		}
		return out
	}
	return v
}
