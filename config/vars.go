package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolgraph/internal/base/wording"
)

// Var is a constant of the file: $vars.NAME in expressions, ${vars.NAME} in the texts of servers.
type Var struct {
	Pos    Pos  // of its name
	Name   Text // an identifier
	Value  *Data
	InText bool // a ${vars.…} of the file reads it
}

// Var returns the constant of a name, or nil.
func (f *File) Var(name string) *Var {
	for _, v := range f.Vars {
		if v.Name.Value == name {
			return v
		}
	}
	return nil
}

// varNames returns the names of the constants, in file order.
func (f *File) varNames() []string {
	names := make([]string, len(f.Vars))
	for i, v := range f.Vars {
		names[i] = v.Name.Value
	}
	return names
}

var identifier = wording.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

// vars decodes the constants, with the values that the options give to some of them.
func (d *decoder) vars(fs *fields) {
	it := fs.get("vars")
	switch {
	case it.isNull():
	case it.kind != itemMapping:
		fs.wrong("vars", "a mapping of names to values", "")
	default:
		for i, name := range it.keys {
			if !identifier().MatchString(name.Value) {
				d.found.Add(name.Pos, "bad-var-name", fmt.Sprintf("the constant has the name %s, expected letters, digits and _, with no digit first", wording.Quote(name.Value)),
					"rename it, so that expressions can write $vars.NAME").Over(name).Fixed(PlainName(name))
				continue
			}
			d.file.Vars = append(d.file.Vars, &Var{Pos: name.Pos, Name: name, Value: d.data(it.items[i], "")})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.texts)) {
		if v := d.declared(name, fs.keyPos("vars"), "--var "+name); v != nil {
			d.setText(v, d.texts[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.values)) {
		value := d.values[name]
		if v := d.declared(name, value.Pos, "vars."+name); v != nil {
			d.setValue(v, value, value.Pos, "vars."+name)
		}
	}
	for _, v := range d.file.Vars {
		d.noteSecretVar(v.Name.Value, v.Value)
	}
}

// declared returns the constant that who gives another value to; nil, and a finding, when the file
// has none of that name.
func (d *decoder) declared(name string, pos Pos, who string) *Var {
	v := d.file.Var(name)
	if v == nil {
		message, hint, _ := d.file.UnknownVar(name)
		d.found.Add(pos, "unknown-var", who+": "+message, hint)
	}
	return v
}

// UnknownVar returns the message and the hint for a name that is not one of the file's constants, and the name
// that was meant, if any.
func (f *File) UnknownVar(name string) (message, hint, near string) {
	names := f.varNames()
	near = wording.Nearest(name, names)
	hint = wording.Meant(near)
	switch {
	case hint != "":
	case len(names) == 0:
		hint = "declare it: vars: {NAME: VALUE}"
	default:
		hint = "its constants are " + wording.Shorten(wording.List(names))
	}
	return "vars of the file has no " + wording.Quote(name), hint, near
}

// setText gives a constant the value of a --var: the text itself where a text is declared, else JSON.
// A constant that is declared null takes both.
func (d *decoder) setText(v *Var, text string) {
	pos, who := v.Value.Pos, "--var "+v.Name.Value
	value := &Data{Pos: pos, Scalar: text}
	if _, isText := v.Value.Scalar.(string); !isText && json.Valid([]byte(text)) {
		root, found := readItems(pos.File, jsonAsYAML([]byte(text)))
		if root == nil || found != nil {
			d.found.Add(pos, "wrong-type", who+" is JSON that a graph file cannot have: "+found[0].Message, found[0].Hint)
			return
		}
		value = d.data(root, "").movedTo(pos)
	}
	d.setValue(v, value, pos, who)
}

// setValue gives a constant another value of its type. null has none, so that a constant which is
// declared null takes any value.
func (d *decoder) setValue(v *Var, value *Data, pos Pos, who string) {
	declared, given := v.Value.kindName(), value.kindName()
	if declared != given && declared != "null" {
		if text, isText := value.Scalar.(string); isText && !SecretName(v.Name.Value) {
			given += " " + wording.Quote(text)
		}
		d.found.Add(pos, "wrong-type", who+" is "+given+", expected "+declared+", as the file declares it",
			"give a value of that type, or declare another one")
		return
	}
	v.Value = value
}

// movedTo returns the data with everything in it at one place: where the file has no text of it.
func (d *Data) movedTo(pos Pos) *Data {
	moved := &Data{Pos: pos, Kind: d.Kind, Scalar: d.Scalar}
	for _, key := range d.Keys {
		moved.Keys = append(moved.Keys, Text{Value: key.Value, Pos: pos})
	}
	for _, item := range d.Items {
		moved.Items = append(moved.Items, item.movedTo(pos))
	}
	return moved
}

// kindName returns the kind of the data for messages.
func (d *Data) kindName() string {
	switch d.Kind {
	case KindObject:
		return "a mapping"
	case KindArray:
		return "a list"
	case KindScalar, KindExpression:
	}
	switch d.Scalar.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case string:
		return "text"
	}
	return "a number"
}

// noteSecretVar collects the texts of a constant whose names say that they are secrets: the name of
// the constant, or inside it that of the nearest key.
func (d *decoder) noteSecretVar(name string, value *Data) {
	for i, item := range value.Items {
		inner := name
		if value.Kind == KindObject {
			inner = value.Keys[i].Value
		}
		d.noteSecretVar(inner, item)
	}
	if text, isText := value.Scalar.(string); isText && SecretName(name) {
		d.noteSecret(Text{Value: text, Pos: value.Pos}, text, wording.Shorten(name)+" of vars", true)
	}
}

// varAt returns the value at the path of a ${vars.…}, such as limits.top, and its constant; without a
// value, what is wrong, the constant that was probably meant, if any, and the path with it.
func (f *File) varAt(path string) (v *Var, value *Data, message, hint, meant string) {
	names := strings.Split(path, ".")
	if v = f.Var(names[0]); v == nil {
		message, hint, near := f.UnknownVar(names[0])
		if near != "" {
			meant = strings.Join(append([]string{near}, names[1:]...), ".")
		}
		return f.Var(near), nil, message, hint, meant
	}
	value = v.Value
	for i, name := range names[1:] {
		next := value.Get(name)
		if next == nil {
			keys := make([]string, len(value.Keys))
			for i, key := range value.Keys {
				keys[i] = key.Value
			}
			near := wording.Nearest(name, keys)
			if near != "" {
				meant = strings.Join(slices.Concat(names[:i+1], []string{near}, names[i+2:]), ".")
			}
			return v, nil, fmt.Sprintf("vars.%s has no %s", wording.Shorten(strings.Join(names[:i+1], ".")), wording.Quote(name)),
				cmp.Or(wording.Meant(near), "write the path of a value in vars"), meant
		}
		value = next
	}
	return v, value, "", "", ""
}

// plainText returns a text as it is, and other data as compact JSON.
func (d *Data) plainText() string {
	if text, isText := d.Scalar.(string); isText {
		return text
	}
	return string(d.JSON())
}

// varText returns the text of a ${vars.PATH} at an offset of a text. Nothing in it is replaced again.
func (d *decoder) varText(t Text, i int, path string, use usage) variable {
	v, value, message, hint, meant := d.file.varAt(path)
	if v != nil {
		v.InText = true
	}
	if value == nil {
		from := i + len("${vars.")
		d.found.Add(t.At(i), "unknown-var", message+" (used by "+use.owner+")", hint).Fixed(ReplaceWord(t, from, from+len(path), meant))
		return variable{unset: true}
	}
	return variable{name: path, value: value.plainText()}
}

var varReference = wording.Pattern(`\$?\$\{vars\.([^}]*)\}`)

// withVars returns a text with the values of constants in place of each ${vars.…}, apart from those
// whose names say that they are secrets. A ${ in a value becomes $${, which no variable begins with.
func (d *decoder) withVars(text string) string {
	return varReference().ReplaceAllStringFunc(text, func(written string) string {
		path := varReference().FindStringSubmatch(written)[1]
		_, value, _, _, _ := d.file.varAt(path)
		if value == nil || sensitiveName().MatchString(path) || strings.HasPrefix(written, "$$") {
			return written
		}
		return strings.ReplaceAll(value.plainText(), "${", "$${")
	})
}
