package shape

import (
	"strings"

	"toolgraph/expressions/jsonata"
	"toolgraph/internal/base/wording"
)

// remedy is the hint of a finding, and the word that was meant, if the remedy is to write another word.
type remedy struct{ hint, word string }

// meant returns the remedy to write another word; none for "".
func meant(word string) remedy { return remedy{wording.Meant(word), word} }

// instead adds the fix that writes the word that was meant in the place of another one, which a part has; none for "".
func (f *Finding) instead(source string, t *tree, of, word string) {
	if word == "" || t.Offset < 0 || t.End > len(source) || t.Offset > t.End {
		return
	}
	if i := strings.Index(source[t.Offset:t.End], of); i >= 0 {
		f.replace("Replace it with "+word, jsonata.Replacement{From: t.Offset + i, To: t.Offset + i + len(of), Text: word})
	}
}

func (f *Finding) replace(title string, parts ...jsonata.Replacement) {
	f.Fixes = append(f.Fixes, jsonata.Fix{Title: title, Sure: true, Parts: parts})
}

// converted adds the fix that converts the finding's part with a function; none for "".
func (f *Finding) converted(source, function string) {
	if function == "" || f.Offset < 0 || f.End > len(source) || f.Offset > f.End {
		return
	}
	call := "$" + function + "(" + source[f.Offset:f.End] + ")"
	f.Fixes = append(f.Fixes, jsonata.Fix{Title: "Convert it with $" + function, Parts: []jsonata.Replacement{{From: f.Offset, To: f.End, Text: call}}})
}

// conversion is the remedy to convert a value with a function; "" for none.
func conversion(function string) string {
	if function == "" {
		return ""
	}
	return "convert it: $" + function + "(…)"
}

// joinable adds the fix that joins by & the sums around the finding's part.
func (in *inferrer) joinable(f *Finding) {
	var parts []jsonata.Replacement
	var walk func(t *tree)
	walk = func(t *tree) {
		if t.Offset > f.Offset || t.End <= f.Offset {
			return
		}
		for i := range t.Parts {
			walk(&t.Parts[i])
		}
		if isOperator(t, "+") && len(t.Parts) == 2 && t.Parts[0].End <= t.Parts[1].Offset {
			from := t.Parts[0].End
			if i := strings.IndexByte(in.source[from:t.Parts[1].Offset], '+'); i >= 0 {
				parts = append(parts, jsonata.Replacement{From: from + i, To: from + i + 1, Text: "&"})
			}
		}
	}
	walk(in.whole)
	if len(parts) > 0 {
		f.replace("Join them with &", parts...)
	}
}
