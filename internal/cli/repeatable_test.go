package cli

import (
	"testing"

	"toolgraph/config"
	"toolgraph/internal/project"
	"toolgraph/internal/server"
)

// A tool may be called twice only when its server is trusted and says so.
func TestRepeatable(t *testing.T) {
	yes, no := true, false
	said := map[string]server.Hints{
		"read":       {ReadOnly: &yes},
		"idempotent": {ReadOnly: &no, Idempotent: &yes},
		"writes":     {ReadOnly: &no, Idempotent: &no},
		"silent":     {},
	}
	p := &project.Project{File: &config.File{Servers: []*config.Upstream{
		{Name: config.Text{Value: "trusted"}, Trusted: true}, {Name: config.Text{Value: "other"}},
	}}}
	may := repeatable(p, func(_, tool string) (server.Hints, bool) {
		h, known := said[tool]
		return h, known
	})
	for tool, want := range map[string]bool{"read": true, "idempotent": true, "writes": false, "silent": false, "unknown": false} {
		if may("trusted", tool, "") != want {
			t.Errorf("%s of the trusted server: %v", tool, !want)
		}
		if may("other", tool, "") || may("nowhere", tool, "") {
			t.Errorf("%s of a server that is not trusted may be called twice", tool)
		}
	}
	if repeatable(p, nil)("trusted", "read", "") {
		t.Error("nothing is known, and a tool may be called twice")
	}
}
