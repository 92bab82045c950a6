package mcpclient

import (
	"context"
	"testing"
)

// In both eras a server is known by what it said when it was started.
func TestAbout(t *testing.T) {
	for mode, protocol := range map[string]string{"legacy": "2025-06-18", "modern": "2026-07-28"} {
		p := pool(t, fake(t, mode))
		got, err := p.About(context.Background(), "fake")
		if err != nil || got.Name == "" || got.Version == "" || got.Protocol != protocol {
			t.Errorf("%s: got %+v, %v", mode, got, err)
		}
	}
	_, err := pool(t, fake(t)).About(context.Background(), "fakes")
	wantError(t, "", err, CodeUnknownServer)
}
