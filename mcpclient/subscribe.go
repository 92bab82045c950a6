package mcpclient

import (
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// listenLeast is how long a subscription must have lasted for another to follow it.
const listenLeast = 10 * time.Second

// subscribe has a server of the modern era tell when its tools change, which it does
// only when asked. In the older era it tells by itself. What was known is invalid when
// a subscription ends, for changes may have gone untold; the next listing begins
// another.
func (u *upstream) subscribe(s *session) {
	if s.meta == nil || !s.tellsChanges || !s.subscribed.CompareAndSwap(false, true) {
		return
	}
	u.behind(func() {
		params, err := s.endParams([]byte(`{"notifications":{"toolsListChanged":true}`), nil)
		if err != nil {
			return
		}
		begun := u.opts.clock.now()
		_, err = s.request(u.life, request{method: string(mcp.MethodSubscriptionsListen), params: params})
		if err != nil && u.life.Err() == nil {
			u.opts.logger.Debug("upstream does not tell when its tools change",
				"server", u.conf.Name.Value, "error", s.note.shown(err.Error(), 300))
		}
		if u.opts.clock.now().Sub(begun) >= listenLeast {
			s.subscribed.Store(false)
			s.tools.changed()
		}
	})
}
