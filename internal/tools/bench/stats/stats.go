// Package stats reduces measured numbers to the few that a table shows. It knows no
// units. Every function takes its numbers in any order, leaves them as they are, and
// gives NaN for none.
package stats

import (
	"math"
	"slices"
)

// Percentile is the nearest-rank percentile p (0 to 100) of values.
func Percentile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// Median is the middle of values, or the mean of the two in the middle.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid]
	}
	return (sorted[mid-1] + sorted[mid]) / 2
}

// Geomean is the geometric mean of values, which are above zero.
func Geomean(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}

// Ratios divides the numbers of two series one by one, as far as both go.
func Ratios(over, under []float64) []float64 {
	out := make([]float64, min(len(over), len(under)))
	for i := range out {
		out[i] = over[i] / under[i]
	}
	return out
}
