package mcpclient

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
)

// Identity identifies what a server is, for answers that are given again: the same for the entries of
// two pools that start or connect to the same. It must not leave the process. It is empty for an
// unknown server, and for one that may ask the user, because an answer may then be that of a user.
func (p *Pool) Identity(server string) string {
	u := p.servers[server]
	if u == nil || u.conf.AllowElicit {
		return ""
	}
	return u.identity()
}

// Definition identifies the definition of a tool as its server lists it, empty while that is
// unknown. A server that runs is asked again when it has notified a change, or has been started
// again; one that does not run is not started.
func (p *Pool) Definition(ctx context.Context, server, tool string) string {
	u := p.servers[server]
	if u == nil {
		return ""
	}
	l := u.known.Load()
	if l == nil {
		return ""
	}
	u.mu.Lock()
	s := u.current
	u.mu.Unlock()
	if s != nil && s.alive() && s.tools.now.Load() == nil {
		l = u.offered(ctx, s, true)
	}
	o := l.byName[tool]
	if o == nil {
		return ""
	}
	sum := sha256.Sum256(o.Raw)
	return hex.EncodeToString(sum[:])
}
