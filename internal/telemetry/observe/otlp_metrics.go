package observe

import (
	"context"
	"fmt"
	"os"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	"google.golang.org/protobuf/proto"
)

// metricExporter sends what a periodic reader collects. The reader calls it again only when it
// has returned, so one batch at most waits for a collector.
type metricExporter struct {
	upload      *upload
	temporality sdkmetric.TemporalitySelector
}

// newMetricReader returns the reader that sends metrics over OTLP/HTTP. The SDK reads the interval
// and the timeout, OTEL_METRIC_EXPORT_INTERVAL and OTEL_METRIC_EXPORT_TIMEOUT.
func newMetricReader(env func(string) string) (sdkmetric.Reader, error) {
	client, err := newUpload(env, "metrics")
	if err != nil {
		return nil, err
	}
	temporality, err := temporalityOf(env)
	if err != nil {
		return nil, err
	}
	return sdkmetric.NewPeriodicReader(&metricExporter{client, temporality}), nil
}

// newExportedMetrics returns metrics that the collector of the environment gets, and with scraped
// Prometheus too.
func newExportedMetrics(ctx context.Context, version string, scraped bool) (*Metrics, error) {
	reader, err := newMetricReader(os.Getenv)
	if err != nil {
		return nil, err
	}
	described, err := describe(ctx, version)
	if err != nil {
		return nil, err
	}
	options := []sdkmetric.Option{sdkmetric.WithReader(reader), sdkmetric.WithResource(described)}
	var manual *sdkmetric.ManualReader
	if scraped {
		manual = sdkmetric.NewManualReader()
		options = append(options, sdkmetric.WithReader(manual))
	}
	return newMetrics(manual, options...), nil
}

// temporalityOf reads whether points count from the start or from the point before.
func temporalityOf(env func(string) string) (sdkmetric.TemporalitySelector, error) {
	const variable = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"
	switch v := strings.ToLower(strings.TrimSpace(env(variable))); v {
	case "", "cumulative":
		return sdkmetric.DefaultTemporalitySelector, nil
	case "delta", "lowmemory": // where counters that are read would need memory of what was read before
		return func(kind sdkmetric.InstrumentKind) metricdata.Temporality {
			if kind == sdkmetric.InstrumentKindUpDownCounter || kind == sdkmetric.InstrumentKindObservableCounter && v == "lowmemory" {
				return metricdata.CumulativeTemporality
			}
			return metricdata.DeltaTemporality
		}, nil
	default:
		return nil, fmt.Errorf("%s is %q, expected cumulative, delta or lowmemory", variable, v)
	}
}

// Temporality is that of a kind of instrument.
func (e *metricExporter) Temporality(kind sdkmetric.InstrumentKind) metricdata.Temporality {
	return e.temporality(kind)
}

// Aggregation is that of a kind of instrument.
func (e *metricExporter) Aggregation(kind sdkmetric.InstrumentKind) sdkmetric.Aggregation {
	return sdkmetric.DefaultAggregationSelector(kind)
}

// ForceFlush does nothing: Export keeps nothing.
func (e *metricExporter) ForceFlush(context.Context) error { return nil }

// Shutdown closes connections.
func (e *metricExporter) Shutdown(ctx context.Context) error { return e.upload.Stop(ctx) }

// Export sends one collection, unless it is empty.
func (e *metricExporter) Export(ctx context.Context, collected *metricdata.ResourceMetrics) error {
	if len(collected.ScopeMetrics) == 0 {
		return nil
	}
	from := &metricspb.ResourceMetrics{Resource: &resourcepb.Resource{}}
	if collected.Resource != nil {
		from.Resource.Attributes = attributesOf(*collected.Resource.Set())
	}
	for _, scope := range collected.ScopeMetrics {
		of := &metricspb.ScopeMetrics{Scope: &commonpb.InstrumentationScope{Name: scope.Scope.Name}}
		for _, m := range scope.Metrics {
			of.Metrics = append(of.Metrics, metricOf(m))
		}
		from.ScopeMetrics = append(from.ScopeMetrics, of)
	}
	body, err := proto.Marshal(&metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{from}}) // has the bytes of an ExportMetricsServiceRequest
	if err == nil {
		err = e.upload.send(ctx, body, "points")
	}
	if err != nil {
		return fmt.Errorf("metrics export: %w", err)
	}
	return nil
}

// metricOf converts a metric. There are sums of integers and histograms of floats, see newMetrics, and what Read reports.
func metricOf(m metricdata.Metrics) *metricspb.Metric {
	out := &metricspb.Metric{Name: m.Name, Description: m.Description, Unit: m.Unit}
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		sum := &metricspb.Sum{AggregationTemporality: temporality(data.Temporality), IsMonotonic: data.IsMonotonic}
		for _, p := range data.DataPoints {
			sum.DataPoints = append(sum.DataPoints, &metricspb.NumberDataPoint{
				Attributes: attributesOf(p.Attributes), StartTimeUnixNano: uint64(p.StartTime.UnixNano()), TimeUnixNano: uint64(p.Time.UnixNano()),
				Value: &metricspb.NumberDataPoint_AsInt{AsInt: p.Value},
			})
		}
		out.Data = &metricspb.Metric_Sum{Sum: sum}
	case metricdata.Sum[float64]:
		out.Data = &metricspb.Metric_Sum{Sum: &metricspb.Sum{
			AggregationTemporality: temporality(data.Temporality), IsMonotonic: data.IsMonotonic, DataPoints: pointsOf(data.DataPoints),
		}}
	case metricdata.Gauge[float64]:
		out.Data = &metricspb.Metric_Gauge{Gauge: &metricspb.Gauge{DataPoints: pointsOf(data.DataPoints)}}
	case metricdata.Histogram[float64]:
		histogram := &metricspb.Histogram{AggregationTemporality: temporality(data.Temporality)}
		for _, p := range data.DataPoints {
			point := &metricspb.HistogramDataPoint{
				Attributes: attributesOf(p.Attributes), StartTimeUnixNano: uint64(p.StartTime.UnixNano()), TimeUnixNano: uint64(p.Time.UnixNano()),
				Count: p.Count, Sum: &p.Sum, ExplicitBounds: p.Bounds, BucketCounts: p.BucketCounts,
			}
			if low, defined := p.Min.Value(); defined {
				point.Min = &low
			}
			if high, defined := p.Max.Value(); defined {
				point.Max = &high
			}
			histogram.DataPoints = append(histogram.DataPoints, point)
		}
		out.Data = &metricspb.Metric_Histogram{Histogram: histogram}
	}
	return out
}

// pointsOf converts numbers that were read. A gauge has no start.
func pointsOf(points []metricdata.DataPoint[float64]) []*metricspb.NumberDataPoint {
	all := make([]*metricspb.NumberDataPoint, 0, len(points))
	for _, p := range points {
		one := &metricspb.NumberDataPoint{
			Attributes: attributesOf(p.Attributes), TimeUnixNano: uint64(p.Time.UnixNano()), Value: &metricspb.NumberDataPoint_AsDouble{AsDouble: p.Value},
		}
		if !p.StartTime.IsZero() {
			one.StartTimeUnixNano = uint64(p.StartTime.UnixNano())
		}
		all = append(all, one)
	}
	return all
}

func temporality(t metricdata.Temporality) metricspb.AggregationTemporality {
	if t == metricdata.DeltaTemporality {
		return metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA
	}
	return metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
}

// attributesOf converts attributes. Those that are not text are numbers and booleans.
func attributesOf(set attribute.Set) []*commonpb.KeyValue {
	out := make([]*commonpb.KeyValue, 0, set.Len())
	for _, a := range set.ToSlice() {
		v := textValue(a.Value.String())
		switch a.Value.Type() {
		case attribute.INT64:
			v = &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: a.Value.AsInt64()}}
		case attribute.BOOL:
			v = &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: a.Value.AsBool()}}
		}
		out = append(out, &commonpb.KeyValue{Key: string(a.Key), Value: v})
	}
	return out
}
