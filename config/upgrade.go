package config

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// Change is one thing that Upgrade did, with its place in the older file.
type Change struct {
	Pos     Pos
	Message string
}

// String is "file:line:col: message".
func (c Change) String() string { return c.Pos.String() + ": " + c.Message }

// Upgrade rewrites the older forms of a graph file in its text: lines that need no
// change stay as they are, comments travel with their nodes, and the result means the
// same. A file that is current comes back as it was, with no changes. The error is
// Diagnostics when the file has mistakes, or what cannot be rewritten safely; path is
// for them only, and nothing is read or written.
func Upgrade(path string, src []byte) ([]byte, []Change, error) {
	older, err := parseForUpgrade(path, src)
	if err != nil {
		return nil, nil, err
	}
	if !older.Older {
		return bytes.Clone(src), nil, nil
	}
	text := src
	var changes []Change
	for _, pass := range []func(*editor){(*editor).rewriteForms, (*editor).moveNodes, (*editor).removeOwners} {
		e, err := newEditor(path, text)
		if err != nil {
			return nil, nil, err
		}
		pass(e)
		if err := e.found.Err(); err != nil {
			e.found.Sort()
			return nil, nil, e.found
		}
		text = e.apply()
		changes = append(changes, e.changes...)
	}
	if bytes.HasPrefix(src, byteOrderMark) {
		text = append(bytes.Clone(byteOrderMark), text...)
	}
	result, err := parseForUpgrade(path, text)
	if err != nil || result.Older || !sameMeaning(older, result) {
		var found Diagnostics
		found.Add(Pos{File: path, Line: 1, Column: 1}, "cannot-upgrade", "the file cannot be rewritten without a change of its meaning", "rewrite the places that toolgraph check warns of by hand")
		return nil, nil, found
	}
	slices.SortStableFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	return text, changes, nil
}

// parseForUpgrade is Parse where no variable needs to be set.
func parseForUpgrade(path string, src []byte) (*File, error) {
	return Parse(path, src, Options{LookupEnv: func(string) (string, bool) { return "", false }, AssumeEnv: true})
}

// sameMeaning compares two files without their places.
func sameMeaning(a, b *File) bool {
	// In Go's syntax, so that neighbours cannot run together.
	return fmt.Sprintf("%#v", meaning(a)) == fmt.Sprintf("%#v", meaning(b))
}

// meaning is what a file says, in a form in which its older and its current way to
// say it are equal.
func meaning(f *File) []any {
	all := []any{f.Version.Value, f.Server.Name.Value, f.Server.Version.Value, f.Server.Title.Value, f.Server.Instructions.Value, f.Limits}
	for _, u := range f.Servers {
		all = append(all, u.Name.Value, u.Transport, u.Command.Value, texts(u.Args), settingTexts(u.Env), u.Dir, u.URL.Value,
			settingTexts(u.Headers), u.Timeout, u.StartTimeout, u.MaxInFlight, u.Protocol, u.AllowPrivate, u.AllowElicit, oauthMeaning(u.OAuth))
	}
	for _, t := range f.Tools {
		all = append(all, t.Name.Value, t.Title.Value, t.Description.Value, string(t.InputSchema.JSON()), string(t.OutputSchema.JSON()), string(t.Annotations.JSON()))
		for _, n := range t.Nodes {
			all = append(all, n.ID.Value, n.Type, n.Server.Value, n.Tool.Value, string(n.Args.JSON()), n.Expr.Value, waysOut(n))
		}
	}
	return all
}

func oauthMeaning(o *OAuth) []any {
	if o == nil {
		return nil
	}
	return []any{o.ClientID, o.Scopes, o.RedirectPort}
}

// waysOut are the conditions up to the first that always holds, and the default.
func waysOut(n *Node) []string {
	var ways []string
	for _, c := range n.Conditions {
		rule := string(c.Rule.JSON())
		if c.Rule == nil || rule == "true" {
			return append(ways, c.Next.Value)
		}
		ways = append(ways, rule, c.Next.Value)
	}
	return append(ways, n.Next.Value)
}

func texts(list []Text) []string {
	var values []string
	for _, t := range list {
		values = append(values, t.Value)
	}
	return values
}

func settingTexts(settings []Setting) []string {
	var values []string
	for _, s := range settings {
		values = append(values, s.Name.Value, s.Value.Value)
	}
	return values
}
