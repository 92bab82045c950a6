package server

import (
	"toolgraph/config"
	"toolgraph/expressions/value"
)

// Form is how the answers of a tool look.
type Form struct {
	Def    *config.Tool
	Typed  bool // it has an outputSchema
	Prompt bool // it is got as a prompt
}

// BytesOut returns how many bytes of an answer a model reads, as _meta reports them, before the answer is made: secrets in a
// value are counted as they are, and annotations of items are not counted. size is that of the value as compact JSON; 0: it is
// not known. An answer with Whole is counted by WholeBytes.
func (f Form) BytesOut(secrets *config.Secrets, a *Answer, failed error, size int) int {
	switch {
	case failed != nil && (a.Value == nil || f.Prompt):
		return len(secrets.Redact(failed.Error()))
	case a.Notice != nil:
		return a.Notice.bytes(secrets)
	}
	if text, isText := a.Value.(string); isText && (f.Prompt || f.Def.Result == config.TextResult) {
		return len(text)
	}
	if !f.Typed && !f.Prompt {
		if items := contentItems(a); items != nil {
			return contentBytes(items)
		}
	}
	if size == 0 {
		size = value.Size(a.Value)
	}
	return size
}

// bytes returns how many bytes of a notice a model reads.
func (n *Notice) bytes(secrets *config.Secrets) (sum int) {
	for _, text := range n.Texts {
		sum += len(secrets.Redact(text))
	}
	if n.Link != nil {
		sum += len(n.appendLink(nil))
	}
	return sum
}

// contentBytes returns the bytes of items as appendContent sends them.
func contentBytes(items []value.Value) int {
	sum := max(0, len(items)-1) // commas
	around := len(appendText(nil, "")) - len(`""`)
	for _, item := range items {
		text, isText := item.(string)
		switch {
		case isText:
			sum += around + value.Size(text)
		case isContent(item):
			sum += value.Size(item)
		default:
			raw, err := value.Encode(item)
			if err == nil {
				sum += around + value.Size(string(raw))
			}
		}
	}
	return sum
}

// WholeBytes returns how many bytes of the result of an upstream call a model reads, when it is sent as Whole: those of its
// content and of its structuredContent, JSON each, or nil.
func WholeBytes(content, structured []byte) int {
	sum := len("[]")
	if len(content) > 0 && content[0] == '[' {
		sum = len(compact(content))
	}
	if len(structured) > 0 {
		sum += len(compact(structured))
	}
	return sum
}
