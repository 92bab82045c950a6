package observe

import (
	"strings"
	"testing"
)

// A name of a server may hold any character, and a metric never panics over one.
func TestLabelsAreEscaped(t *testing.T) {
	f := counters("c_total", "Help.")
	for _, name := range []string{`plain`, `a"b`, "a\nb", `a\`, `{},=`, "", "ä☃"} {
		f.of("server", name, "tool", `"`).Inc()
	}
	var out strings.Builder
	f.write(&out)
	for _, want := range []string{
		"# HELP c_total Help.\n# TYPE c_total counter\n",
		`c_total{server="plain",tool="\""} 1`,
		`c_total{server="a\"b",tool="\""} 1`,
		`c_total{server="a\nb",tool="\""} 1`,
		`c_total{server="a\\",tool="\""} 1`,
		`c_total{server="{},=",tool="\""} 1`,
		`c_total{server="",tool="\""} 1`,
		`c_total{server="ä☃",tool="\""} 1`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
}

func TestFamiliesWithoutSeriesAreLeftOut(t *testing.T) {
	f := histograms("h_seconds", "Help.")
	var out strings.Builder
	if f.write(&out); out.Len() > 0 {
		t.Errorf("got %q", out.String())
	}
	f.of("tool", "t").Update(0.003)
	f.write(&out)
	for _, want := range []string{`h_seconds_bucket{tool="t",le="0.005"} 1`, `h_seconds_bucket{tool="t",le="0.0025"} 0`, `h_seconds_bucket{tool="t",le="+Inf"} 1`, `h_seconds_count{tool="t"} 1`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
}
