package journal

import (
	"errors"
	"math"
	"testing"

	"toolgraph/execution"
)

// A value that has no JSON form is a gap in its own run; the runs after it are recorded.
func TestValueWithoutJSON(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	odd := flown("ODD")
	for i := range odd {
		if r := odd[i].Record; r != nil && r.Output != nil && r.Parts == 0 {
			changed := *r
			changed.Output, changed.Bytes = math.NaN(), 0
			odd[i].Record = &changed
			break
		}
	}
	together(t, s, odd, flown("GOOD"))
	j := s.Journal(nil, About{})
	var gap *GapError
	if _, err := j.Load(t.Context(), "ODD"); !errors.As(err, &gap) || gap.Gap.Reason != Unwritten {
		t.Errorf("the run with the value: %v", err)
	}
	events, err := j.Load(t.Context(), "GOOD")
	if err != nil || events[len(events)-1].Kind != execution.RunFinished {
		t.Errorf("the other run: %d events, %v", len(events), err)
	}
}
