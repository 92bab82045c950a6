package mcpclient

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
)

// About is what a server says of itself in its handshake, secrets redacted; fields that
// it leaves out are empty.
type About struct {
	Name, Title, Version, Instructions string
	Protocol                           string // the version that is spoken with it
}

// About is what a server says of itself. It is started when it does not run. The error
// is an *Error.
func (p *Pool) About(ctx context.Context, server string) (About, error) {
	u, err := p.find(server)
	if err != nil {
		return About{}, err
	}
	s, err := u.session(ctx)
	if err != nil {
		return About{}, err
	}
	return s.about, nil
}

// aboutOf keeps what a handshake has told.
func (s *session) aboutOf(said *mcp.InitializeResult) About {
	return About{
		Name: s.note.redact(said.ServerInfo.Name), Title: s.note.redact(said.ServerInfo.Title),
		Version: s.note.redact(said.ServerInfo.Version), Instructions: s.note.redact(said.Instructions),
	}
}
