package hostconfig

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"toolgraph/internal/base/wording"
)

// forms are the references to variables that a host replaces in its file.
type forms struct {
	plain  bool // ${NAME} and ${NAME:-default}
	bare   bool // $NAME
	editor bool // ${env:NAME}, ${input:ID}, ${workspaceFolder}, ${userHome}
	braces bool // {env:NAME}, {file:PATH}
}

// piece is a part of a text: a literal, or a reference to a variable.
type piece struct {
	text     string // of a literal
	variable string // the name; "" for a literal
	fallback string // the value of the variable when it is not set
	source   string // what the host's file has in its place
}

var (
	identifier = wording.Pattern(`^[A-Za-z_][A-Za-z0-9_]*`)
	braced     = wording.Pattern(`\{(env|file):([^{}]+)\}`)
	defaulted  = wording.Pattern(`^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$`)
)

// pieces returns the parts of a text of the host's file. The error says what of it has no
// counterpart.
func (e *entryReader) pieces(text string) (parts []piece, err error) {
	literal := func(text string) {
		if n := len(parts); n > 0 && parts[n-1].variable == "" {
			parts[n-1].text += text
		} else if text != "" {
			parts = append(parts, piece{text: text})
		}
	}
	for text != "" {
		if e.host.forms.braces {
			m := braced().FindStringSubmatchIndex(text)
			if m == nil {
				break
			}
			literal(text[:m[0]])
			if kind, name := text[m[2]:m[3]], text[m[4]:m[5]]; kind == "env" {
				parts = append(parts, piece{variable: name, source: text[m[0]:m[1]]})
			} else {
				return nil, fmt.Errorf("it uses the content of a file, {file:…}, which has a value only in %s", e.host.Title)
			}
			text = text[m[1]:]
			continue
		}
		at := strings.IndexByte(text, '$')
		if at < 0 {
			break
		}
		literal(text[:at])
		text = text[at:]
		if name := identifier().FindString(text[1:]); e.host.forms.bare && name != "" {
			parts = append(parts, piece{variable: name, source: text[:1+len(name)]})
			text = text[1+len(name):]
			continue
		}
		inner, rest, closed := strings.Cut(strings.TrimPrefix(text, "${"), "}")
		if !strings.HasPrefix(text, "${") || !closed {
			literal("$")
			text = text[1:]
			continue
		}
		p, known, err := e.reference(inner)
		switch {
		case err != nil:
			return nil, err
		case !known:
			literal("${" + inner + "}")
		case p.variable == "":
			literal(p.text)
		default:
			p.source = "${" + inner + "}"
			parts = append(parts, p)
		}
		text = rest
	}
	literal(text)
	return parts, nil
}

// Resolve returns a text of the host's file with the values of its references; false when one of them has none in the
// environment, or only the host knows it.
func (h *Host) Resolve(text string, environment func(string) (string, bool)) (string, bool) {
	e := entryReader{Reader: NewReader(h, Options{Keep: true})}
	parts, err := e.pieces(text)
	if err != nil {
		return "", false
	}
	var out strings.Builder
	for _, p := range parts {
		if p.variable == "" {
			out.WriteString(p.text)
			continue
		}
		value, set := environment(p.variable)
		if strings.HasPrefix(p.source, "${input:") {
			return "", false
		}
		if !set && p.fallback == "" && !strings.Contains(p.source, ":-") {
			return "", false
		}
		out.WriteString(cmp.Or(value, p.fallback))
	}
	return out.String(), true
}

// reference returns what stands for ${inner}; known is false when the host does not replace it.
func (e *entryReader) reference(inner string) (p piece, known bool, err error) {
	if e.host.forms.plain {
		if m := defaulted().FindStringSubmatch(inner); m != nil {
			return piece{variable: m[1], fallback: m[2]}, true, nil
		}
	}
	if !e.host.forms.editor {
		return p, false, nil
	}
	kind, name, named := strings.Cut(inner, ":")
	switch {
	case kind == "env" && defaulted().MatchString(name):
		return piece{variable: name}, true, nil
	case kind == "input" && named:
		variable := variableName(name)
		if !e.opts.Keep {
			e.note("it asks for %s in %s; set %s instead%s", wording.Quote(name), e.host.Title, variable, e.inputs[name])
		}
		return piece{variable: variable}, true, nil
	case inner == "userHome":
		return piece{text: e.opts.Home}, true, nil
	case inner == "pathSeparator" || inner == "/":
		return piece{text: string(filepath.Separator)}, true, nil
	case (inner == "workspaceFolder" || inner == "workspaceRoot") && e.opts.Dir != "":
		return piece{text: e.opts.Dir}, true, nil
	case inner == "workspaceFolderBasename" && e.opts.Dir != "":
		return piece{text: filepath.Base(e.opts.Dir)}, true, nil
	case named, strings.HasPrefix(inner, "workspace"), strings.HasPrefix(inner, "file"), inner == "cwd":
		return p, false, fmt.Errorf("it uses %s, which has a value only in %s", wording.Quote("${"+inner+"}"), e.host.Title)
	}
	return p, false, nil
}

// written returns the parts as a text of a registry, in which ${NAME} is a reference and $${ is
// the literal ${.
func written(parts []piece) (string, error) {
	var out strings.Builder
	for _, p := range parts {
		switch {
		case p.variable == "":
			out.WriteString(strings.ReplaceAll(p.text, "${", "$${"))
			continue
		case strings.HasSuffix(out.String(), "$"):
			return "", fmt.Errorf("it has a $ before the variable %s, which cannot be written in a registry", p.variable)
		case p.fallback != "":
			out.WriteString("${" + p.variable + ":-" + p.fallback + "}")
		default:
			out.WriteString("${" + p.variable + "}")
		}
	}
	return out.String(), nil
}

// now returns the parts with the present values of the variables, for the command, in which
// toolgraph replaces none. Variables whose names look secret have no value here.
func (e *entryReader) now(parts []piece) (string, error) {
	var out strings.Builder
	for _, p := range parts {
		if p.variable == "" {
			out.WriteString(p.text)
			continue
		}
		value, _ := e.opts.Lookup(p.variable)
		if value = cmp.Or(value, p.fallback); value == "" || SecretName(p.variable) {
			return "", fmt.Errorf("its command depends on the variable %s, and toolgraph replaces none there; write the path of the program", p.variable)
		}
		e.note("%s in its command is replaced by its present value", p.variable)
		out.WriteString(value)
	}
	return out.String(), nil
}

var notInName = wording.Pattern(`[^A-Za-z0-9]+`)

// variableName returns the name of a variable that is made of words: GITHUB_API_KEY.
func variableName(words ...string) string {
	name := strings.Trim(notInName().ReplaceAllString(strings.ToUpper(strings.Join(words, "_")), "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "VALUE_" + name
	}
	return name
}
