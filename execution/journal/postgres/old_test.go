package postgres

import "testing"

func TestTooOld(t *testing.T) {
	t.Parallel()
	for version, old := range map[string]bool{"9.6.24": true, "12.22 (Debian 12.22-1)": true, "13.0": false, "15.18": false, "19beta1": false, "": false} {
		if err := tooOld(version); (err != nil) != old {
			t.Errorf("%q: %v", version, err)
		}
	}
}
