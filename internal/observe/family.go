package observe

import (
	"fmt"
	"io"
	"strings"

	"github.com/VictoriaMetrics/metrics"
)

// seconds are the upper bounds of the buckets: a run of pure nodes takes less than a
// millisecond, one with calls up to minutes.
var seconds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}

// family is the series of one metric, one for each combination of its labels' values.
type family[M any] struct {
	name, kind, help string
	set              *metrics.Set
	series           func(name string) M
}

func counters(name, help string) family[*metrics.Counter] {
	set := metrics.NewSet()
	return family[*metrics.Counter]{name, "counter", help, set, set.GetOrCreateCounter}
}

func gauges(name, help string) family[*metrics.Gauge] {
	set := metrics.NewSet()
	return family[*metrics.Gauge]{name, "gauge", help, set, func(name string) *metrics.Gauge { return set.GetOrCreateGauge(name, nil) }}
}

func histograms(name, help string) family[*metrics.PrometheusHistogram] {
	set := metrics.NewSet()
	return family[*metrics.PrometheusHistogram]{name, "histogram", help, set, func(name string) *metrics.PrometheusHistogram {
		return set.GetOrCreatePrometheusHistogramExt(name, seconds)
	}}
}

// labelText escapes a label's value as the text format wants it.
var labelText = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// of is the series with these labels: names and values in turns, always in the same order.
func (f *family[M]) of(labels ...string) M {
	var b strings.Builder
	b.WriteString(f.name)
	separator := "{"
	for i := 0; i < len(labels); i += 2 {
		b.WriteString(separator + labels[i] + `="` + labelText.Replace(labels[i+1]) + `"`)
		separator = ","
	}
	b.WriteString("}")
	return f.series(b.String())
}

// write writes the family in the text format of Prometheus; one without series is left out.
func (f *family[M]) write(w io.Writer) {
	if len(f.set.ListMetricNames()) == 0 {
		return
	}
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
	f.set.WritePrometheus(w)
}
