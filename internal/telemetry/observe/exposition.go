package observe

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// family is one metric with all its series, in the terms of Prometheus's text format:
// https://prometheus.io/docs/instrumenting/exposition_formats
type family struct {
	name, kind, help string
	samples          []sample
}

// sample is one line: labels are as they stand between the braces.
type sample struct {
	suffix, labels string
	value          float64
}

// Handler serves the metrics in Prometheus's text format, with those of the process and of
// Go's runtime.
func (m *Metrics) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var collected metricdata.ResourceMetrics
		if err := m.reader.Collect(r.Context(), &collected); err != nil {
			http.Error(w, "the metrics could not be collected: "+err.Error(), http.StatusInternalServerError)
			return
		}
		families := processFamilies()
		for _, scope := range collected.ScopeMetrics {
			for _, metric := range scope.Metrics {
				families = append(families, familyOf(metric))
			}
		}
		slices.SortFunc(families, func(a, b family) int { return strings.Compare(a.name, b.name) })
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write(exposition(families)) // the client may have gone
	})
}

func exposition(families []family) []byte {
	var b bytes.Buffer
	for _, f := range families {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
		for _, s := range f.samples {
			labels := s.labels
			if labels != "" {
				labels = "{" + labels + "}"
			}
			fmt.Fprintf(&b, "%s%s%s %s\n", f.name, s.suffix, labels, float(s.value))
		}
	}
	return b.Bytes()
}

func float(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// familyOf converts a metric of OpenTelemetry's to Prometheus's terms.
func familyOf(m metricdata.Metrics) family {
	f := family{name: prometheusName(m), help: m.Description}
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		f.kind = "gauge"
		if data.IsMonotonic {
			f.kind = "counter"
		}
		f.samples = numberSamples(data.DataPoints)
	case metricdata.Sum[float64]: // which only grow
		f.kind, f.samples = "counter", numberSamples(data.DataPoints)
	case metricdata.Gauge[float64]:
		f.kind, f.samples = "gauge", numberSamples(data.DataPoints)
	case metricdata.Histogram[float64]:
		f.kind = "histogram"
		slices.SortFunc(data.DataPoints, func(a, b metricdata.HistogramDataPoint[float64]) int {
			return strings.Compare(labelText(a.Attributes), labelText(b.Attributes))
		})
		for _, p := range data.DataPoints {
			f.samples = append(f.samples, histogramSamples(p)...)
		}
	}
	return f
}

// numberSamples are those of counters and gauges.
func numberSamples[N int64 | float64](points []metricdata.DataPoint[N]) []sample {
	samples := make([]sample, 0, len(points))
	for _, p := range points {
		samples = append(samples, sample{labels: labelText(p.Attributes), value: float64(p.Value)})
	}
	slices.SortFunc(samples, func(a, b sample) int { return strings.Compare(a.labels, b.labels) })
	return samples
}

// prometheusName is the name without dots, which ends with the unit of durations.
func prometheusName(m metricdata.Metrics) string {
	name := strings.ReplaceAll(m.Name, ".", "_")
	if m.Unit == "s" && !strings.HasSuffix(strings.TrimSuffix(name, "_total"), "_seconds") {
		name += "_seconds"
	}
	return name
}

func histogramSamples(p metricdata.HistogramDataPoint[float64]) []sample {
	var samples []sample
	labels, below := labelText(p.Attributes), uint64(0)
	upTo := labels
	if labels != "" {
		upTo += ","
	}
	for i, bound := range p.Bounds {
		below += p.BucketCounts[i]
		samples = append(samples, sample{"_bucket", upTo + `le="` + float(bound) + `"`, float64(below)})
	}
	return append(samples,
		sample{"_bucket", upTo + `le="+Inf"`, float64(p.Count)},
		sample{"_sum", labels, p.Sum},
		sample{"_count", labels, float64(p.Count)},
	)
}

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// labelText is a set of labels, sorted by name.
func labelText(set attribute.Set) string {
	pairs := make([]string, 0, set.Len())
	for _, label := range set.ToSlice() {
		pairs = append(pairs, strings.ReplaceAll(string(label.Key), ".", "_")+`="`+labelEscapes.Replace(label.Value.String())+`"`)
	}
	return strings.Join(pairs, ",")
}
