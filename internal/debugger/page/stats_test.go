package page

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"toolgraph/execution/journal"
)

// The figures are those of the runs of the file, by tool and by day, and a run of this process has its own in the list as
// soon as it has ended.
func TestStatsOfThePage(t *testing.T) {
	c, other := openBoth(t)
	own := c.start(`{"tool": "count", "args": {"n": 2}}`)
	ended := c.until(own, "finished")
	want := &usageJSON{Calls: 2, BytesIn: 2, BytesOut: len(`{"n":2,"turns":2,"note":"none"}`)}
	if !reflect.DeepEqual(ended.Usage, want) {
		t.Errorf("the run has used %+v", ended.Usage)
	}
	long := time.Date(2020, 1, 2, 12, 0, 0, 0, time.Local)
	other.add("EARLIER", long, "begin", "step", "end")
	list := good[runsJSON](c, "GET", "/api/runs", "")
	usage := map[string]*usageJSON{}
	for _, run := range list.Runs {
		usage[run.ID] = run.Usage
	}
	if len(list.Runs) != 2 || !reflect.DeepEqual(usage[own], want) || usage["EARLIER"] != nil {
		t.Errorf("the list is %+v", list.Runs)
	}
	all := good[journal.Stats](c, "GET", "/api/stats", "")
	days := all.Groups[journal.ByDay]
	if all.Total.Runs != 2 || all.Total.Unknown != 1 || all.Total.Calls != 2 || len(all.Groups[journal.ByTool]) != 1 || len(days) != 2 || days[0].Name != "2020-01-02" {
		t.Errorf("the figures are %+v", all)
	}
	if some := good[journal.Stats](c, "GET", "/api/stats?tool=count&since=2020-01-03T00:00:00Z", ""); some.Total.Runs != 1 {
		t.Errorf("the figures are %+v", some)
	}
	if none := good[journal.Stats](c, "GET", "/api/stats?until=2000-01-01T00:00:00Z", ""); none.Total.Runs != 0 || none.Slowest == nil {
		t.Errorf("the figures are %+v", none)
	}
	for _, path := range []string{"/api/stats?since=x", "/api/stats?until=x"} {
		if status, answer := c.ask("GET", path, ""); status != http.StatusBadRequest || !strings.Contains(answer, "expected a time like") {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
}
