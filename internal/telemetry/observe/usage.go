package observe

import (
	"context"

	"go.opentelemetry.io/otel/metric"

	"toolgraph/execution"
)

// usageMetrics count what runs that have ended have used.
type usageMetrics struct {
	bytesIn, bytesOut, saved metric.Int64Counter
}

func newUsageMetrics(meter metric.Meter) usageMetrics {
	return usageMetrics{
		bytesIn: valid(meter.Int64Counter("toolgraph_bytes_in_total", metric.WithUnit("By"),
			metric.WithDescription("Bytes that servers answered to the calls of finished runs, as compact JSON."))),
		bytesOut: valid(meter.Int64Counter("toolgraph_bytes_out_total", metric.WithUnit("By"),
			metric.WithDescription("Bytes of the results of finished runs, as clients get them."))),
		saved: valid(meter.Int64Counter("toolgraph_tokens_saved_total", metric.WithUnit("{token}"),
			metric.WithDescription("Estimate of the tokens that clients did not read: a quarter of bytes in less bytes out."))),
	}
}

// add adds a run; nil for one whose usage is not known.
func (m usageMetrics) add(ctx context.Context, u *execution.Used, of metric.MeasurementOption) {
	if u == nil {
		return
	}
	m.bytesIn.Add(ctx, int64(u.BytesIn), of)
	m.bytesOut.Add(ctx, int64(u.BytesOut), of)
	m.saved.Add(ctx, int64(u.TokensSaved()), of)
}
