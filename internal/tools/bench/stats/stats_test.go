package stats

import (
	"math"
	"testing"
)

func TestReductions(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3}
	for name, pair := range map[string][2]float64{
		"median":       {Median(values), 3},
		"even median":  {Median(values[:4]), 3},
		"p50":          {Percentile(values, 50), 3},
		"p95":          {Percentile(values, 95), 5},
		"p0":           {Percentile(values, 0), 1},
		"geomean":      {Geomean([]float64{1, 4}), 2},
		"median ratio": {Median(Ratios([]float64{2, 6, 9}, []float64{1, 2, 3})), 3},
	} {
		if got, want := pair[0], pair[1]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if values[0] != 5 {
		t.Error("the values were sorted in place")
	}
	for _, v := range []float64{Median(nil), Percentile(nil, 50), Geomean(nil)} {
		if !math.IsNaN(v) {
			t.Errorf("nothing reduces to %v, want NaN", v)
		}
	}
}
