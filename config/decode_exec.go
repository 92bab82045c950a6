package config

import (
	"fmt"
	"slices"
	"strings"

	"toolgraph/internal/base/wording"
)

var programName = wording.Pattern(programNamePattern)

// isExec reports whether a server says that its tools are programs.
func isExec(it *item) bool {
	kind := it.get("type")
	return kind != nil && kind.kind == itemScalar && kind.text.Value == string(Exec)
}

// programs decodes the fields of a server whose tools are programs.
func (d *decoder) programs(u *Upstream, fs *fields, from place) {
	u.Transport = Exec
	u.Env = d.settings(fs, fs.get("env"), "env")
	u.Cwd, u.Dir = d.directory(fs, from)
	tools := fs.get("tools")
	switch {
	case tools.isNull():
		d.found.Add(fs.pos("tools"), "missing-field", fs.who+" has no tools, expected at least one program", "add tools: {NAME: {command: [PROGRAM]}}")
		return
	case tools.kind != itemMapping:
		fs.wrong("tools", "a mapping of tool names to programs", "write tools: {NAME: {command: [PROGRAM]}}")
		return
	case len(tools.keys) == 0:
		fs.add("tools", "missing-field", "is empty, expected at least one program", "add NAME: {command: [PROGRAM]}")
	}
	var typed []string
	for i, name := range tools.keys {
		if !programName().MatchString(name.Value) {
			d.found.Add(name.Pos, "bad-program-name",
				fmt.Sprintf("program name %s of %s has a length or characters that the names of tools may not have, expected 1 to 128 letters, digits, _, - or .",
					wording.Quote(name.Value), fs.who), "write _ instead").Over(name).Fixed(PlainName(name))
		}
		p, words := d.program(name, tools.items[i], fs.who)
		if p != nil {
			u.Programs, typed = append(u.Programs, p), append(typed, name.Value+": "+commandLine(words, ";"))
		}
	}
	u.Identity = strings.Join(typed, "; ")
}

// program decodes one program, and returns its command also as other files may name it; nil when
// there is no command.
func (d *decoder) program(name Text, it *item, server string) (p *Program, typed []string) {
	fs := d.open(it, programForm(), fmt.Sprintf("program %q of %s", wording.Shorten(name.Value), server))
	if fs == nil {
		return nil, nil
	}
	p = &Program{Pos: it.pos, Name: name, Timeout: fs.milliseconds("timeoutMs"), Effect: Effect(fs.word("effect"))}
	command := fs.get("command")
	if command != nil && command.kind == itemScalar && !command.isNull() {
		fs.wrong("command", "a list of words", "write command: [PROGRAM, ARGUMENT]")
		return nil, nil
	}
	p.Command, typed = d.words(fs.list("command"), "word %d of command of "+fs.who, "command of "+fs.who)
	switch {
	case fs.bad["command"]:
	case len(p.Command) > 0 && p.Command[0].Value != "":
		return p, typed
	case command == nil:
		d.found.Add(it.pos, "missing-field", fs.who+" has no command, expected a list that begins with a program", "add command: [PROGRAM]")
	case !slices.ContainsFunc(command.items, func(word *item) bool { _, ok := word.looseText(); return !ok }):
		fs.add("command", "missing-field", "names no program, expected a list that begins with one", "write command: [PROGRAM]")
	}
	return nil, nil
}
