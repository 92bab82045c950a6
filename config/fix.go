package config

import (
	"strings"

	"toolgraph/internal/base/wording"
)

// Fix is one way to mend a finding. It is made where the finding is made, of the places and names that are
// known there and never of the finding's words. It is a guess: an editor tries it, and drops it when the
// finding is still there. The zero Fix is none. Safe for concurrent use.
type Fix struct {
	Title string
	Sure  bool // it is the remedy of the finding, and not one of several ways

	change func(p *Patcher, src []byte) []Edit // makes the edits, sorted; nil when it cannot. p is nil for a text that is no YAML
}

// Edits returns the edits of a text, sorted and inside it; nil when the fix cannot be made there: a part of a text that
// was checked can be changed in that text alone. p is the patcher of src, nil when it is no YAML.
func (f Fix) Edits(p *Patcher, src []byte) []Edit {
	if f.change == nil {
		return nil
	}
	edits := f.change(p, src)
	at := 0
	for _, e := range edits {
		if e.From < at || e.To < e.From || e.To > len(src) { // the parser's places are not exact in unusual files
			return nil
		}
		at = e.To
	}
	return edits
}

// Maybe returns the fix as one of several ways.
func (f Fix) Maybe() Fix {
	f.Sure = false
	return f
}

// Titled returns the fix with another title.
func (f Fix) Titled(title string) Fix {
	f.Title = title
	return f
}

// fixBy returns a sure fix. A change that needs a patcher is not made without one.
func fixBy(title string, change func(p *Patcher) []Edit) Fix {
	return Fix{title, true, func(p *Patcher, _ []byte) []Edit {
		if p == nil {
			return nil
		}
		return change(p)
	}}
}

// fixSource replaces bytes of a source from one offset up to another; the source need not be YAML.
func fixSource(title string, s *source, from, to int, with string) Fix {
	return Fix{title, true, func(_ *Patcher, src []byte) []Edit {
		if !s.is(src) {
			return nil
		}
		return []Edit{{s.mark + from, s.mark + to, with}}
	}}
}

// Replace replaces parts of a text, which are in order. A scalar without quotes gets them when it then needs them.
func Replace(title string, t Text, parts ...Replacement) Fix {
	return Fix{title, true, func(_ *Patcher, src []byte) []Edit {
		if !t.src.is(src) {
			return nil
		}
		edits, _ := t.Replaced(parts...)
		return edits
	}}
}

// ReplaceWord replaces a part of a text by the word that was meant; none when the word is "".
func ReplaceWord(t Text, from, to int, meant string) Fix {
	if meant == "" {
		return Fix{}
	}
	return Replace("Replace it with "+meant, t, Replacement{From: from, To: to, Text: meant})
}

// WriteText replaces a whole text by another one.
func WriteText(t Text, with string) Fix {
	return Replace("Write "+with, t, Replacement{To: len(t.Value), Text: with})
}

// WriteScalar replaces a scalar, its quotes included, by YAML on one line.
func WriteScalar(title string, t Text, yaml string) Fix {
	return Fix{title, true, func(_ *Patcher, src []byte) []Edit {
		from, to, ok := t.Scalar()
		if !ok || !t.src.is(src) {
			return nil
		}
		return []Edit{{from, to, yaml}}
	}}
}

// Quote puts a scalar without quotes into quotes; none for any other.
func Quote(t Text) Fix {
	if t.style != stylePlain || t.Value == "" || strings.Contains(t.Value, "\n") {
		return Fix{}
	}
	return WriteScalar("Quote it", t, inQuotes(t.Value))
}

var notInName = wording.Pattern(`[^A-Za-z0-9_]+`)

// PlainName writes _ for what a plain name cannot have, in this place alone.
func PlainName(t Text) Fix { return rename(t, PlainWord(t.Value)) }

// PlainWord returns a name with _ for what a plain name cannot have.
func PlainWord(name string) string { return notInName().ReplaceAllString(name, "_") }

// AnotherName gives a name that is taken another one, in this place alone.
func AnotherName(t Text) Fix { return rename(t, t.Value+"_2") }

func rename(t Text, name string) Fix {
	if t.Value == "" {
		return Fix{}
	}
	return Replace("Rename it to "+name, t, Replacement{To: len(t.Value), Text: name}).Maybe()
}

// QuoteAt is Quote for the scalar at a place.
func QuoteAt(at Pos) Fix {
	return fixBy("Quote it", func(p *Patcher) []Edit { return Quote(p.textAt(at)).Edits(p, p.whole) })
}

// ReplaceAt replaces the whole text at a place by the word that was meant; none when the word is "".
func ReplaceAt(at Pos, meant string) Fix {
	if meant == "" {
		return Fix{}
	}
	return fixBy("Replace it with "+meant, func(p *Patcher) []Edit {
		t := p.textAt(at)
		return ReplaceWord(t, 0, len(t.Value), meant).Edits(p, p.whole)
	})
}

// RemoveKey removes the innermost key around a place, with its value.
func RemoveKey(at Pos) Fix {
	return fixBy("Remove it", func(p *Patcher) []Edit { return p.RemoveKey(at) })
}

// removeKeys removes the keys at some places, which are in order and in one mapping, in which others are left.
func removeKeys(all []Pos) Fix {
	return fixBy("Remove it", func(p *Patcher) (edits []Edit) {
		for _, at := range all {
			edits = append(edits, p.RemoveKey(at)...)
		}
		return edits
	})
}

// RemoveNamed removes a key of the innermost mapping around a place that has it.
func RemoveNamed(at Pos, key string) Fix {
	return fixBy("Remove it", func(p *Patcher) []Edit { return p.RemoveNamed(at, key) })
}

// RemoveItem removes the innermost item of a list around a place.
func RemoveItem(at Pos) Fix {
	return fixBy("Remove it", func(p *Patcher) []Edit { return p.RemoveItem(at) })
}

// SetKey writes another value, YAML on one line, of a key of the innermost mapping around a place that has it.
func SetKey(at Pos, key, yaml string) Fix {
	return fixBy("Write "+key+": "+yaml, func(p *Patcher) []Edit { return p.SetKey(at, key, yaml) })
}

// SetValue writes YAML on one line for the empty mapping or the scalar at a place.
func SetValue(at Pos, yaml string) Fix {
	return fixBy("Write "+yaml, func(p *Patcher) []Edit { return p.setValue(at, yaml) })
}

// SayKey writes a value of a key, or adds the key to the innermost mapping around the place that has another one.
func SayKey(at Pos, key, yaml, having string) []Fix {
	title := "Say " + key + ": " + yaml
	return []Fix{SetKey(at, key, yaml).Titled(title).Maybe(), AddKey(at, key, yaml, having).Titled(title).Maybe()}
}

// AddKey adds a key with a value, YAML on one line, to the innermost mapping around a place that has one of the
// keys; any mapping for "". Those that come first count first.
func AddKey(at Pos, key, yaml string, having ...string) Fix {
	return fixBy("Add "+key+": "+yaml, func(p *Patcher) []Edit {
		for _, other := range having {
			if edits := p.AddKey(at, other, key, yaml); edits != nil {
				return edits
			}
		}
		return nil
	})
}

// AddItem adds YAML on one line to the list under a key of the innermost mapping around a place that has the key, at its
// beginning or its end.
func AddItem(title string, at Pos, key, yaml string, first bool) Fix {
	return fixBy(title, func(p *Patcher) []Edit { return p.AddItem(at, key, yaml, first) })
}

// InFlow returns a text as YAML on one line that may be inside { } as well.
func InFlow(text string) string {
	list := inline(NewList(NewText(text)))
	return list[1 : len(list)-1]
}

// Until gives the finding its end.
func (d *Diagnostic) Until(end Pos) *Diagnostic {
	d.End = end
	return d
}

// Over lets the finding end with a scalar of one line that it begins with.
func (d *Diagnostic) Over(t Text) *Diagnostic {
	if end, ok := t.end(); ok && t.Pos == d.Pos && !t.IsBlock() {
		d.End = t.src.pos(end)
	}
	return d
}

// Fixed adds fixes, the likely ones first; those that are none are left out. Of several with the same title the
// first that mends the finding counts.
func (d *Diagnostic) Fixed(fixes ...Fix) *Diagnostic {
	for _, f := range fixes {
		if f.change != nil {
			d.Fixes = append(d.Fixes, f)
		}
	}
	return d
}

// Meant is Over, and the fix that replaces the whole text by the word that was meant, if any.
func (d *Diagnostic) Meant(t Text, near string) *Diagnostic {
	return d.Over(t).Fixed(ReplaceWord(t, 0, len(t.Value), near))
}
