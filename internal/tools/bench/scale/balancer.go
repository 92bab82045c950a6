package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"
)

// balancer gives each request to the next process that is ready, as /readyz says.
type balancer struct {
	*httptest.Server
	behind []*backend
	next   atomic.Int64
	end    chan struct{}
}

type backend struct {
	url   string
	proxy *httputil.ReverseProxy
	ready atomic.Bool
}

func newBalancer(urls ...string) *balancer {
	b := &balancer{end: make(chan struct{})}
	transport := &http.Transport{MaxIdleConnsPerHost: 256}
	for _, to := range urls {
		at, err := url.Parse(to)
		if err != nil {
			panic(err) // the urls are those of listeners
		}
		one := &backend{url: to}
		one.proxy = &httputil.ReverseProxy{
			Transport: transport, FlushInterval: -1,
			Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at) },
			ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
				one.ready.Store(false)
				w.WriteHeader(http.StatusBadGateway)
			},
		}
		one.ready.Store(true)
		b.behind = append(b.behind, one)
	}
	b.Server = httptest.NewServer(b)
	go b.look()
	return b
}

// ServeHTTP passes a request on.
func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for range b.behind {
		one := b.behind[int(b.next.Add(1))%len(b.behind)]
		if one.ready.Load() {
			one.proxy.ServeHTTP(w, r)
			return
		}
	}
	w.WriteHeader(http.StatusServiceUnavailable)
}

// look asks each process whether it is ready.
func (b *balancer) look() {
	asks := &http.Client{Timeout: time.Second}
	for {
		for _, one := range b.behind {
			r, err := asks.Get(one.url + "/readyz") //nolint:noctx // it has a timeout
			if err == nil {
				_ = r.Body.Close()
			}
			one.ready.Store(err == nil && r.StatusCode == http.StatusOK)
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-b.end:
			return
		}
	}
}

func (b *balancer) stop() {
	close(b.end)
	b.CloseClientConnections()
	b.Close()
}
