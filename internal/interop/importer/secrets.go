package importer

import (
	"slices"

	"toolgraph/config"
	"toolgraph/expressions/value"
)

// secrets are the values of a trace whose names look like those of secrets. They are never
// written.
type secrets struct {
	index  *index
	values map[uint64]bool // by fingerprint
	texts  *config.Secrets
}

// secretsOf returns the secrets in the arguments and results of calls.
func secretsOf(x *index, calls []*call) *secrets {
	s := &secrets{index: x, values: map[uint64]bool{}}
	var texts []string
	for _, c := range calls {
		for _, v := range []value.Value{c.args, c.result} {
			eachSecret(v, false, func(v value.Value) {
				s.values[x.mark(v)] = true
				if text, isText := v.(string); isText {
					texts = append(texts, text)
				}
			})
		}
	}
	s.texts = config.NewSecrets(texts...)
	return s
}

// eachSecret calls found for the texts and numbers under a name that looks secret.
func eachSecret(v value.Value, named bool, found func(value.Value)) {
	if list, isList := v.([]any); isList {
		for _, item := range list {
			eachSecret(item, named, found)
		}
		return
	}
	object, isObject := value.ObjectOf(v)
	if !isObject {
		if named && !isTrivial(v) {
			found(v)
		}
		return
	}
	for _, key := range object.Keys() {
		member, _ := object.Get(key)
		eachSecret(member, named || config.SecretName(key), found)
	}
}

// has reports whether a value is or has a secret.
func (s *secrets) has(v value.Value) bool {
	if list, isList := v.([]any); isList {
		return slices.ContainsFunc(list, s.has)
	}
	if object, isObject := value.ObjectOf(v); isObject {
		return slices.ContainsFunc(object.Keys(), func(key string) bool {
			member, _ := object.Get(key)
			return s.has(member) || s.has(key)
		})
	}
	text, isText := v.(string)
	return s.values[s.index.mark(v)] || isText && s.texts.Redact(text) != text
}

// hiddenValue stands for a secret that is too short to be redacted, or no text.
const hiddenValue = "[redacted]"

// without returns a value without its secrets.
func (s *secrets) without(v value.Value) value.Value {
	if list, isList := v.([]any); isList {
		out := make([]any, len(list))
		for i, item := range list {
			out[i] = s.without(item)
		}
		return out
	}
	if object, isObject := value.ObjectOf(v); isObject {
		out := value.NewMap()
		for _, key := range object.Keys() {
			member, _ := object.Get(key)
			out.Set(s.texts.Redact(key), s.without(member))
		}
		return out
	}
	if text, isText := v.(string); isText && s.texts.Redact(text) != text {
		return s.texts.Redact(text)
	}
	if v != nil && s.values[s.index.mark(v)] {
		return hiddenValue
	}
	return v
}
