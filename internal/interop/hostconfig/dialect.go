package hostconfig

import (
	"cmp"

	"toolgraph/config"
)

// dialect is how a host writes an entry. A key that is "" has its usual name.
type dialect struct {
	command string // the program: command
	args    string // its arguments: args. With the name of command, that is a list of the program and its arguments
	env     string // its environment: env
	url     string // of a server over HTTP: url
	passed  string // names of variables that the server gets from the host's own environment: env_vars
	timeout timeoutMeaning

	stdio     []setting // of an entry that starts a program, before command
	http      []setting // of an entry over HTTP, before the URL
	rest      []setting // of both, at the end
	httpURL   string    // the key of the URL in an entry that is written; url
	noHTTP    string    // what to do instead, for a host whose file has no entries over HTTP
	describes bool      // an entry has a name and a description
	calls     string    // the key for the time of one call in seconds; "" for none

	// reference stands for the variable NAME in the values of env. A host without such references gets
	// a placeholder; "" for a host that passes on variables by their names.
	reference string
	// optional likewise stands for the variable NAME that has DEFAULT in the graph file; "" when such a
	// variable is left out, because a reference without a value would take the place of the default.
	optional string
	inputs   bool // the file has a list of inputs, for which the host asks its user
}

// setting is a key of an entry that is the same for all servers: a text or a boolean.
type setting struct {
	key   string
	value any
}

// placeholder is the reference of hosts without references.
const placeholder = "<NAME>"

// timeoutMeaning is what the key timeout of an entry bounds.
type timeoutMeaning int

const (
	timeoutMilliseconds timeoutMeaning = iota // of one call
	timeoutSeconds                            // of one call
	startTimeout                              // milliseconds until the server has listed its tools
)

// name returns the host's name for a key of an entry.
func (d *dialect) name(key string) string {
	switch key {
	case "command":
		return cmp.Or(d.command, key)
	case "args":
		return cmp.Or(d.args, key)
	case "env":
		return cmp.Or(d.env, key)
	case "url":
		return cmp.Or(d.url, key)
	case "env_vars":
		return cmp.Or(d.passed, key)
	}
	return key
}

// isList reports whether the command is a list of the program and its arguments.
func (d *dialect) isList() bool { return d.name("args") == d.name("command") }

// command returns the program of a server; it is missing for one that is reached over HTTP.
func (e *entryReader) command() (text config.Text, has bool) {
	if !e.host.entry.isList() || e.get("command") == nil {
		return e.text("command")
	}
	words := e.list("command")
	if len(words) == 0 {
		return text, true
	}
	if text, has = looseText(words[0]); !has {
		e.leave(words[0].Pos, "its command is %s, expected text", kindOf(words[0]))
	}
	return text, true
}

// arguments returns the arguments of the command.
func (e *entryReader) arguments() []*config.Data {
	words := e.list("args")
	if e.host.entry.isList() && len(words) > 0 {
		return words[1:]
	}
	return words
}
