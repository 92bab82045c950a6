package config

import (
	"slices"
	"time"
)

// Program is a tool of a server of type exec: each call starts it, without a shell.
type Program struct {
	Pos     Pos
	Name    Text
	Command []Text        // the program and its first arguments, never empty; with ${VAR} replaced
	Timeout time.Duration // of one call; 0: the server's
	Effect  Effect        // what it does, in the author's word; empty when missing
}

// Program returns a program of the server, or nil.
func (u *Upstream) Program(name string) *Program {
	i := slices.IndexFunc(u.Programs, func(p *Program) bool { return p.Name.Value == name })
	if i < 0 {
		return nil
	}
	return u.Programs[i]
}

// TakesOptions reports whether an argument after the command may be read as an option: it is when
// the command does not end in --.
func (p *Program) TakesOptions() bool { return p.Command[len(p.Command)-1].Value != "--" }

// Starting returns the server as one over stdio whose command is that of a program of it.
func (u *Upstream) Starting(p *Program) *Upstream {
	as := *u
	as.Transport, as.Command, as.Args = Stdio, p.Command[0], p.Command[1:]
	return &as
}
