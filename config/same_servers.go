package config

import "reflect"

// SameServers reports whether two files define the same servers, wherever in them: what
// runs for the one can be used for the other.
func SameServers(a, b []*Upstream) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !reflect.DeepEqual(definition(a[i]), definition(b[i])) {
			return false
		}
	}
	return true
}

// definition is a server without its places in the file.
func definition(u *Upstream) Upstream {
	d := *u
	d.Pos = Pos{}
	d.Name, d.Command, d.URL = bare(d.Name), bare(d.Command), bare(d.URL)
	d.Args = make([]Text, len(u.Args))
	for i, arg := range u.Args {
		d.Args[i] = bare(arg)
	}
	d.Env, d.Headers = bareSettings(u.Env), bareSettings(u.Headers)
	return d
}

func bareSettings(settings []Setting) []Setting {
	out := make([]Setting, len(settings))
	for i, s := range settings {
		out[i] = Setting{Name: bare(s.Name), Value: bare(s.Value)}
	}
	return out
}

func bare(t Text) Text { return Text{Value: t.Value} }
