package call_test

import (
	"slices"
	"testing"

	"toolgraph/execution/call"
)

// What is below an execution comes before it; items are in their order, branches by name.
func TestAddressOrder(t *testing.T) {
	want := []call.Address{
		"0", "1", "4/0", "4/1.0", "4/1.1", "4/1", "4", "5.0", "5.1", "5.2/0", "5.2/10", "5.2", "5.10", "5", "6.news", "6.weather/0", "6.weather", "6", "10",
		"11.job@1", "11.job@2", "11.job@10", "11.job", "11.rows.2.text", "11.rows.2", "11.rows.10.text/0", "11.rows.10.text", "11.rows.10", "11.rows", "11",
	}
	for range 20 {
		got := slices.Clone(want)
		for i := range got { // a fixed shuffle
			j := (i*7 + 3) % len(got)
			got[i], got[j] = got[j], got[i]
		}
		slices.SortFunc(got, call.Address.Compare)
		if !slices.Equal(got, want) {
			t.Fatalf("got %v\nwant %v", got, want)
		}
	}
}

func TestAddressParts(t *testing.T) {
	for _, a := range []call.Address{"0", "4.3", "4.weather", "4/1", "4.3/1", "4.3/1.x/2", "1.users.3.job@2", "1.job@2.x", "1.a.b.c"} {
		if got := call.AddressOf(a.Split()); got != a {
			t.Errorf("%s becomes %s", a, got)
		}
		if parsed, err := call.ParseAddress(string(a)); err != nil || parsed != a {
			t.Errorf("%s is parsed as %q, %v", a, parsed, err)
		}
	}
	for _, bad := range []string{"", "x", "-1", "01", "4.", "4.3.2", "4/", "/4", "4.3/x", "4.-1", " 4", "4.a.3.4", "4.a@0", "4.a@", "4.3.a", "4.@1"} {
		if got, err := call.ParseAddress(bad); err == nil {
			t.Errorf("%q is taken as %s", bad, got)
		}
	}
}

func TestAddressContains(t *testing.T) {
	for _, c := range []struct {
		a, b call.Address
		want bool
	}{
		{"4", "4.3", true},
		{"4", "4/1", true},
		{"4", "4.3/1", true},
		{"4.3", "4.3/1", true},
		{"4.3", "4.3/1.2", true},
		{"", "4", true},
		{"4", "4", false},
		{"4", "41", false},
		{"4.3", "4.31", false},
		{"4.3", "4", false},
		{"4/1", "4.3/1", false},
		{"1.users", "1.users.3.job@2", true},
		{"1.job", "1.job@2", true},
		{"1.job@1", "1.job@10", false},
		{"1.user", "1.users", false},
	} {
		if got := c.a.Contains(c.b); got != c.want {
			t.Errorf("%q contains %q: %v", c.a, c.b, got)
		}
	}
}
