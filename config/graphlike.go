package config

import (
	"regexp"
	"sync"
)

// topKey is a key at the beginning of a line of YAML.
var topKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^["']?(\w+)["']?[ \t]*:`) })

// LooksLikeGraph reports whether the bytes of a YAML file seem to be those of a graph
// file, with mistakes or without: whether two or more of a graph file's keys are among
// those at its top. Other YAML files have at most one of them by chance.
func LooksLikeGraph(src []byte) bool {
	if len(src) > MaxFileBytes {
		src = src[:MaxFileBytes]
	}
	var keys []string
	for _, match := range topKey().FindAllSubmatch(src, -1) {
		keys = append(keys, string(match[1]))
	}
	if twoOfGraph(keys) {
		return true
	}
	root, _ := readItems("", src) // the mapping may be in braces
	if root == nil {
		return false
	}
	keys = nil
	for _, key := range root.keys {
		keys = append(keys, key.Value)
	}
	return twoOfGraph(keys)
}

func twoOfGraph(keys []string) bool {
	first := ""
	for _, key := range keys {
		switch {
		case fileForm.find(key) == nil:
		case first == "":
			first = key
		case key != first:
			return true
		}
	}
	return false
}
