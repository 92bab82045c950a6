package habit

import (
	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/base/keys"
)

// Secrets are the values of calls whose names look like those of secrets, and the texts that look like keys. They are
// never written.
type Secrets struct {
	values []value.Value
	texts  *config.Secrets
}

// SecretsOf returns the secrets in the arguments and results of calls.
func SecretsOf(calls []*Call) *Secrets {
	s := &Secrets{}
	var texts []string
	found := func(v value.Value) {
		if text, isText := v.(string); isText {
			texts = append(texts, text)
		}
		s.values = append(s.values, v)
	}
	for _, c := range calls {
		eachSecret(c.Args, false, 0, found)
		eachSecret(c.Result, false, 0, found)
	}
	s.texts = config.NewSecrets(texts...)
	return s
}

// eachSecret calls found for the scalars under a name that looks secret, and for keys in texts.
func eachSecret(v value.Value, named bool, depth int, found func(value.Value)) {
	if list, isList := v.([]any); isList && depth < deepest {
		for _, item := range list {
			eachSecret(item, named, depth+1, found)
		}
		return
	}
	object, isObject := value.ObjectOf(v)
	if isObject && depth < deepest {
		for _, key := range object.Keys() {
			part, _ := object.Get(key)
			eachSecret(part, named || config.SecretName(key), depth+1, found)
		}
		return
	}
	if named && !isTrivial(v) {
		found(v)
		return
	}
	text, _ := v.(string)
	for text != "" {
		from, to := keys.Find([]byte(text))
		if from < 0 {
			return
		}
		found(text[from:to])
		text = text[to:]
	}
}

// Has reports whether a value is or has a secret.
func (s *Secrets) Has(v value.Value) bool {
	is := false
	eachScalar("", v, 0, func(_ string, part value.Value) {
		text, isText := part.(string)
		is = is || isText && s.texts.Redact(text) != text || !isText && s.isOne(part)
	})
	return is
}

// isOne reports whether a value that is no text is a secret.
func (s *Secrets) isOne(v value.Value) bool {
	for _, secret := range s.values {
		if !isTrivial(v) && value.Same(secret, v) {
			return true
		}
	}
	return false
}

// Hidden stands for a secret that is too short to be redacted, or no text.
const Hidden = "[redacted]"

// Without returns a value without its secrets.
func (s *Secrets) Without(v value.Value) value.Value { return s.without(v, 0) }

// without is Without for a value that is depth levels deep in another one.
func (s *Secrets) without(v value.Value, depth int) value.Value {
	if depth > deepest {
		return Hidden
	}
	if list, isList := v.([]any); isList {
		out := make([]any, len(list))
		for i, item := range list {
			out[i] = s.without(item, depth+1)
		}
		return out
	}
	if object, isObject := value.ObjectOf(v); isObject {
		out := value.NewMap()
		for _, key := range object.Keys() {
			part, _ := object.Get(key)
			out.Set(s.texts.Redact(key), s.without(part, depth+1))
		}
		return out
	}
	if text, isText := v.(string); isText && s.texts.Redact(text) != text {
		return s.texts.Redact(text)
	}
	if v != nil && s.isOne(v) {
		return Hidden
	}
	return v
}
