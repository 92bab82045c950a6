package runtime

import (
	"testing"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/project"
	"toolgraph/internal/serving/server"
)

// The id of a run with a key has the server, the subject, the tool and the key: a call that differs in one of
// them is another run, and so is one in which they are divided differently. One that is made elsewhere has the arguments, too.
func TestX28KeyedID(t *testing.T) {
	type call struct{ server, subject, tool, key, args string }
	local := func(c call) string {
		l := &Loaded{Project: &project.Project{File: &config.File{Server: config.Server{Name: config.Text{Value: c.server}}}}}
		return l.keyedID(server.WithSubject(t.Context(), c.subject), c.tool, c.key)
	}
	remote := func(c call) string {
		l := &Loaded{Project: &project.Project{File: &config.File{Server: config.Server{Name: config.Text{Value: c.server}}}}}
		ctx := server.WithCalled(server.WithSubject(t.Context(), c.subject), server.Called{Key: c.key})
		return l.remoteID(ctx, c.tool, value.FromPlain(c.args))
	}
	base := call{"shop", "alice", "order", "k l", "{}"}
	for where, id := range map[string]func(call) string{"here": local, "elsewhere": remote} {
		first := id(base)
		known := map[string]string{first: "the same call"}
		if id(base) != first {
			t.Errorf("%s: the same call is another run", where)
		}
		others := map[string]call{
			"server": {"shop2", "alice", "order", "k l", "{}"}, "subject": {"shop", "bob", "order", "k l", "{}"},
			"no subject": {"shop", "", "order", "k l", "{}"}, "tool": {"shop", "alice", "cancel", "k l", "{}"},
			"key": {"shop", "alice", "order", "k2", "{}"}, "division": {"shop", "alice", "order k", "l", "{}"}, "division of the subject": {"shop", "alice order", "k", "l", "{}"},
		}
		if where == "elsewhere" {
			others["arguments"] = call{"shop", "alice", "order", "k l", "[]"}
		}
		for what, c := range others {
			if same, used := known[id(c)]; used {
				t.Errorf("%s: a call with another %s is the run of %s", where, what, same)
			}
			known[id(c)] = "another " + what
		}
	}
}
