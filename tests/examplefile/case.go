package examplefile

import (
	"os/exec"
	"strings"
)

// Case is one call of a tool and what is expected of it.
type Case struct {
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

// Uses tells whether a place's name stands in the case, such as "repository".
func (c Case) Uses(place string) bool {
	used := false
	look := func(s string) string {
		used = used || strings.Contains(s, "{"+place+"}")
		return s
	}
	eachString(c.Args, look)
	for _, v := range c.Env {
		look(v)
	}
	return used
}

// With is the case with {name} replaced by a path for each name in places.
func (c Case) With(places map[string]string) Case {
	replace := func(s string) string {
		for name, path := range places {
			s = strings.ReplaceAll(s, "{"+name+"}", path)
		}
		return s
	}
	args := map[string]any{}
	for key, v := range c.Args {
		args[key] = eachString(v, replace)
	}
	env := map[string]string{}
	for key, v := range c.Env {
		env[key] = replace(v)
	}
	c.Args, c.Env = args, env
	return c
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
