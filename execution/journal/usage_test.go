package journal_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"toolgraph/config"
	"toolgraph/execution"
	"toolgraph/execution/journal"
)

// usedRun makes the events of a run that took some milliseconds; a nil u is a run of an earlier version.
func usedRun(id, tool string, started time.Time, took int, u *execution.Used, failure *execution.Failure) []execution.Event {
	all := events(id, nil, "out")
	for i := range all {
		all[i].Time = started
	}
	all[0].Start.Tool = tool
	all[4].Time = started.Add(time.Duration(took) * time.Millisecond)
	all[4].End.Used = u
	if failure != nil {
		all[4].End = &execution.End{Failure: failure, Used: u}
	}
	return all
}

// What a run has used comes back in its row and in its events, in each form of its end, and after an import; a run without it
// has none.
func TestUsageComesBack(t *testing.T) {
	used := &execution.Used{
		Calls: 3, BytesIn: 1001, BytesOut: 100,
		Servers: []execution.ServerUse{{Server: "files", Calls: 2, BytesIn: 1000}, {Server: "web", Calls: 1, BytesIn: 1}},
		Chain:   []string{"files.search", "files.read", "web.fetch"},
	}
	secrets := config.NewSecrets("hunter2hunter2")
	s, other := open(t, journal.Options{}), open(t, journal.Options{})
	ends := map[string]func(*execution.Event){
		"PLAIN":   func(*execution.Event) {},
		"NONE":    func(e *execution.Event) { e.End.Used = &execution.Used{} },
		"EARLIER": func(e *execution.Event) { e.End.Used = nil },
		"SPILLED": func(e *execution.Event) { e.End.Spilled = 17 },
		"LOST":    func(e *execution.Event) { e.Lost = 2 },
		"FAILED": func(e *execution.Event) {
			e.End = &execution.End{Used: used, Failure: &execution.Failure{Code: execution.CodeTool, Message: "no"}}
		},
		"CANCELLED": func(e *execution.Event) {
			e.End = &execution.End{Used: used, Failure: &execution.Failure{Code: execution.CodeCancelled}}
		},
	}
	for id, change := range ends {
		all := usedRun(id, "tool", began, 4, used, nil)
		change(&all[4])
		want := all[4].End.Used
		appendAll(t, s.Journal(secrets, journal.About{}), all)
		for _, from := range []*journal.Store{s, other} {
			r, err := from.Run(t.Context(), id)
			if err != nil || from.Verify(t.Context(), r) != nil {
				t.Fatalf("%s: %+v, %v, %v", id, r, err, from.Verify(t.Context(), r))
			}
			if want == nil != (r.Usage == nil) || want != nil && (!reflect.DeepEqual(r.Usage.Used, *want) || r.Usage.TokensSaved != max(0, want.BytesIn-want.BytesOut)/4) {
				t.Errorf("%s: the usage is %+v, expected %+v", id, r.Usage, want)
			}
			loaded, err := from.Load(t.Context(), id)
			if err != nil || !reflect.DeepEqual(loaded[4].End.Used, want) {
				t.Errorf("%s: the end is %+v, %v, expected %+v", id, loaded[4].End.Used, err, want)
			}
			if from == s {
				exported, _ := json.Marshal(loaded)
				var again []execution.Event
				if err := json.Unmarshal(exported, &again); err != nil {
					t.Fatal(err)
				}
				if err := other.Import(t.Context(), r, again); err != nil {
					t.Fatal(id, err)
				}
			}
		}
	}
	shown, err := s.Run(t.Context(), "PLAIN")
	text, _ := json.Marshal(shown)
	const want = `"usage":{"calls":3,"bytesIn":1001,"bytesOut":100,"servers":[{"server":"files","calls":2,"bytesIn":1000},{"server":"web","calls":1,"bytesIn":1}],` +
		`"chain":["files.search","files.read","web.fetch"],"tokensSaved":225}`
	if err != nil || !strings.Contains(string(text), want) {
		t.Errorf("%v, the run is %s", err, text)
	}
}

// A usage that no program writes is not imported.
func TestUsageThatIsNotImported(t *testing.T) {
	s := open(t, journal.Options{})
	for want, u := range map[string]*execution.Used{
		"has the number -1, expected 0 or more":        {BytesOut: -1},
		"has the number -2, expected 0 or more":        {Servers: []execution.ServerUse{{Calls: -2}}},
		"has 18 servers, expected at most 17":          {Servers: make([]execution.ServerUse, 18)},
		"has a chain of 33 calls, expected at most 32": {Chain: make([]string, 33)},
		`the name "a\nb" has control or hidden`:        {Chain: []string{"a\nb"}},
		`the name "\u202ex" has control or hidden`:     {Servers: []execution.ServerUse{{Server: "\u202ex"}}},
	} {
		all := usedRun("R", "tool", began, 1, u, nil)
		all[0].Start.Args, all[1].Record.Output = decode(t, `{}`), decode(t, `{}`)
		if err := s.Import(t.Context(), journal.Run{ID: "R"}, all); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, expected %s", err, want)
		}
	}
}

// seeded writes runs of some days, tools and servers, of which some have failed or are of an earlier version, and returns
// those that have ended.
func seeded(t *testing.T, s *journal.Store, n int) (all [][]execution.Event) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[rnd.IntN(len(of))] }
	j := s.Journal(nil, journal.About{File: "/a.yaml"})
	for i := range n {
		u := &execution.Used{BytesOut: rnd.IntN(500)}
		for _, server := range []string{"files", "web", "db"}[rnd.IntN(3):] {
			use := execution.ServerUse{Server: server, Calls: 1 + rnd.IntN(9), BytesIn: rnd.IntN(900)}
			u.Servers = append(u.Servers, use)
			u.Calls, u.BytesIn = u.Calls+use.Calls, u.BytesIn+use.BytesIn
			u.Chain = append(u.Chain, server+"."+pick("a", "b"))
		}
		var failure *execution.Failure
		switch rnd.IntN(8) {
		case 0:
			failure = &execution.Failure{Code: execution.CodeTool, Message: "no"}
		case 1:
			failure = &execution.Failure{Code: execution.CodeCancelled, Message: "cancelled"}
		case 2:
			u = nil
		}
		started := began.Add(time.Duration(rnd.IntN(100)) * time.Hour)
		run := usedRun(fmt.Sprintf("RUN%04d", i), pick("one", "two", "three"), started, rnd.IntN(100_000), u, failure)
		appendAll(t, j, run)
		all = append(all, run)
	}
	appendAll(t, j, events("OPEN", nil, "out")[:3]) // has not ended
	return all
}

// expected are the figures of runs, computed run by run. part is what a run has used of the group; nil leaves it out.
func expected(all [][]execution.Event, part func([]execution.Event) (calls, in int, in_ bool), whole bool) (f journal.Figures) {
	var took []float64
	out, saved := 0, 0
	for _, run := range all {
		calls, in, is := part(run)
		if !is {
			continue
		}
		f.Runs++
		took = append(took, run[4].Time.Sub(run[0].Time).Seconds()*1000)
		end := run[4].End
		if end.Failure != nil && end.Failure.Code == execution.CodeTool {
			f.Failures++
		}
		if end.Used == nil {
			f.Unknown++
			continue
		}
		f.Calls, f.BytesIn = f.Calls+calls, f.BytesIn+in
		out += end.Used.BytesOut
		saved += max(0, end.Used.BytesIn-end.Used.BytesOut) / 4
	}
	slices.Sort(took)
	for percent, into := range map[float64]*float64{0.5: &f.P50, 0.95: &f.P95} {
		for _, ms := range took { // the smallest that so many are not longer than
			n := 0
			for _, other := range took {
				if other <= ms {
					n++
				}
			}
			if float64(n) >= percent*float64(len(took)) {
				*into = ms
				break
			}
		}
	}
	if whole {
		f.BytesOut, f.TokensSaved = &out, &saved
	}
	return f
}

// The figures of a store are those that a plain computation over the events has.
func TestStats(t *testing.T) {
	s := open(t, journal.Options{})
	all := seeded(t, s, 300)
	zone := time.FixedZone("here", 5*3600+1800)
	got, err := s.Stats(t.Context(), journal.StatsQuery{By: journal.Groupings, Zone: zone})
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string, got, want journal.Figures) {
		t.Helper()
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		if string(g) != string(w) {
			t.Errorf("%s\ngot  %s\nwant %s", what, g, w)
		}
	}
	usedIn := func(holds func([]execution.Event) bool) func([]execution.Event) (int, int, bool) {
		return func(run []execution.Event) (calls, in int, is bool) {
			if u := run[4].End.Used; u != nil {
				calls, in = u.Calls, u.BytesIn
			}
			return calls, in, holds(run)
		}
	}
	same("all", got.Total, expected(all, usedIn(func([]execution.Event) bool { return true }), true))
	groups := 0
	for _, g := range got.Groups[journal.ByTool] {
		groups++
		same(g.Name, g.Figures, expected(all, usedIn(func(run []execution.Event) bool { return run[0].Start.Tool == g.Name }), true))
	}
	for _, g := range got.Groups[journal.ByDay] {
		groups++
		same(g.Name, g.Figures, expected(all, usedIn(func(run []execution.Event) bool { return run[0].Time.In(zone).Format(time.DateOnly) == g.Name }), true))
	}
	for _, g := range got.Groups[journal.ByServer] {
		groups++
		same(g.Name, g.Figures, expected(all, func(run []execution.Event) (calls, in int, is bool) {
			if run[4].End.Used == nil {
				return 0, 0, false
			}
			for _, use := range run[4].End.Used.Servers {
				if use.Server == g.Name {
					return use.Calls, use.BytesIn, true
				}
			}
			return 0, 0, false
		}, false))
	}
	if days := len(got.Groups[journal.ByDay]); groups != 3+3+days || days < 4 || !slices.IsSortedFunc(got.Groups[journal.ByDay], func(a, b journal.Group) int { return cmp.Compare(a.Name, b.Name) }) {
		t.Errorf("there are %d groups: %+v", groups, got.Groups)
	}
	listed(t, got, all)
}

// listed checks the slowest runs and the most repeated chains.
func listed(t *testing.T, got *journal.Stats, all [][]execution.Event) {
	t.Helper()
	slowest := slices.SortedStableFunc(slices.Values(all), func(a, b []execution.Event) int {
		return cmp.Compare(b[4].Time.Sub(b[0].Time), a[4].Time.Sub(a[0].Time))
	})
	if len(got.Slowest) != 5 {
		t.Fatalf("the slowest are %+v", got.Slowest)
	}
	for i, slow := range got.Slowest {
		run := slowest[i]
		if slow.Run != run[0].Run || slow.Tool != run[0].Start.Tool || !slow.Started.Equal(run[0].Time) || slow.Duration != run[4].Time.Sub(run[0].Time).Seconds()*1000 {
			t.Errorf("the slowest number %d is %+v, expected %+v", i, slow, run[0])
		}
	}
	chains := map[string]int{}
	for _, run := range all {
		if u := run[4].End.Used; u != nil {
			chains[strings.Join(u.Chain, " ")]++
		}
	}
	var most []string
	for chain, n := range chains {
		if n > 1 {
			most = append(most, fmt.Sprintf("%06d %s", 1_000_000-n, chain))
		}
	}
	slices.Sort(most)
	var shown []string
	for _, c := range got.Chains {
		shown = append(shown, fmt.Sprintf("%06d %s", 1_000_000-c.Runs, strings.Join(c.Chain, " ")))
	}
	if !slices.Equal(shown, most[:5]) || got.More {
		t.Errorf("the chains are %v, expected %v", shown, most[:5])
	}
}

// Stats selects runs as a list does, and a store without runs has zeros.
func TestStatsOfSome(t *testing.T) {
	s := open(t, journal.Options{})
	none, err := s.Stats(t.Context(), journal.StatsQuery{By: journal.Groupings})
	if err != nil || none.Total.Runs != 0 || none.Slowest == nil || none.Chains == nil {
		t.Fatalf("of no store: %+v, %v", none, err)
	}
	seeded(t, s, 60)
	appendAll(t, s.Journal(nil, journal.About{File: "/b.yaml"}), usedRun("OTHER", "one", began, 1, &execution.Used{}, nil))
	for _, q := range []journal.StatsQuery{
		{Tool: "one"}, {File: "/a.yaml"}, {File: "/b.yaml"}, {Since: began.Add(50 * time.Hour)}, {Until: began.Add(50 * time.Hour)}, {Tool: "two", Since: began.Add(30 * time.Hour)},
	} {
		runs, err := s.List(t.Context(), journal.Filter{Tool: q.Tool, File: q.File, Since: q.Since, Until: q.Until, Limit: -1})
		if err != nil {
			t.Fatal(err)
		}
		runs = slices.DeleteFunc(runs, func(r journal.Run) bool { return !r.HasEnded() })
		if got, err := s.Stats(t.Context(), q); err != nil || got.Total.Runs != len(runs) || len(runs) == 0 || got.Groups != nil {
			t.Errorf("%+v: %+v, %v, expected %d runs", q, got, err, len(runs))
		}
	}
}
