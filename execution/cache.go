package execution

import (
	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/graph"
)

// obtain makes one attempt of a call, or takes the answer to an equal one from the cache: such an
// attempt is no call. What allow and confirm require is required of both.
func (l *live) obtain(s *site, n *graph.MCP, c *Call, unsafe bool) (output value.Value, cached bool, err error) {
	defer l.away()()
	if !l.caches(n) || c.Task != "" || l.past.isResolved(s.address()) {
		output, err = l.request(s, n, c, unsafe)
		return output, false, err
	}
	defer recovered(&err)
	if effect, failed := s.permit(n); failed != nil || effect != config.ReadEffect { // a refusal is that of request
		output, err = l.request(s, n, c, unsafe)
		return output, false, err
	}
	s.begin() // before it may wait for an equal call of a part that comes after it
	return l.hooks.cache.Answer(s.ctx, *c, n.Cache, func() (value.Value, error) { return l.request(s, n, c, unsafe) })
}

// caches reports whether answers of a node's calls are given again, as far as its effect allows it.
func (l *live) caches(n *graph.MCP) bool { return n.Cache > 0 && l.hooks.cache != nil }

// setCached marks the record of a call whose answer came from the cache, unless it exceeds a limit.
func (r *Record) setCached(c *Call) {
	if r.Error == nil {
		r.Cached, r.Digest = true, cacheDigest(c)
	}
}

// cacheDigest identifies a call in a record that has no call-started.
func cacheDigest(c *Call) string { return digest([]any{c.Server, c.Tool, c.Args}) }
