package mcpclient

import (
	"net/http"
	"net/url"
	"time"

	"toolgraph/config"
)

// NewFetcher returns a client for documents at an address that the operator of this process has
// given, and for those at addresses that such documents name. It dials public addresses, and those
// that the host of the given address has, whatever they are; link-local and cloud metadata
// addresses never. It takes no proxy from the environment and follows redirects only within an
// origin. The caller bounds the time of requests and the size of answers.
func NewFetcher(address *url.URL) *http.Client {
	g := gateTo(address, settings{Upstream: config.Upstream{AllowPrivate: true}})
	return &http.Client{
		Transport: newTransport(g, 10*time.Second),
		CheckRedirect: func(to *http.Request, via []*http.Request) error {
			switch {
			case to.URL.Scheme != via[0].URL.Scheme || to.URL.Host != via[0].URL.Host:
				return errElsewhere
			case len(via) > redirectsMost:
				return errRedirects
			}
			return nil
		},
	}
}
