package habit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"toolgraph/expressions/value"
	"toolgraph/internal/base/cost"
)

// acts gives the acts of a client, a minute apart, to a finder: "SERVER.TOOL ARGUMENTS ANSWER" each.
func acts(t *testing.T, least int, lines ...string) []Habit {
	t.Helper()
	f := Finder{Least: least}
	for i, line := range lines {
		parts := strings.SplitN(line, " ", 3)
		f.Add("client", Act{
			Name: parts[0], Tools: parts[:1], Args: decode(t, parts[1]), Result: decode(t, parts[2]), Ref: Ref{At: i},
			Time: time.Date(2026, 3, 1, 8, i, 0, 0, time.UTC),
		})
	}
	return f.Find()
}

// job is one occurrence: a search, two reads of what it found, a message without a link.
func job(n int) []string {
	return []string{
		fmt.Sprintf(`tracker.search {"q":"word%d"} ["KEY-%d00","KEY-%d01"]`, n, n, n),
		fmt.Sprintf(`tracker.get {"key":"KEY-%d00"} {"title":"a%d"}`, n, n),
		fmt.Sprintf(`tracker.get {"key":"KEY-%d01"} {"title":"b%d"}`, n, n),
		fmt.Sprintf(`chat.post {"text":"thought-%d"} "ok"`, n),
	}
}

func chains(found []Habit) (all []string) {
	for _, h := range found {
		all = append(all, fmt.Sprintf("%d× %s", len(h.Occurrences), strings.Join(h.Chain, " ")))
	}
	return all
}

// What is done three times is a habit, what is done twice is none; what follows each time belongs to it without a link.
func TestChainsOfCalls(t *testing.T) {
	t.Parallel()
	noise := []string{`web.fetch {"url":"https://example.org/x1"} "text"`, `wiki.page {"id":"home"} "text"`}
	lines := slices.Concat(job(1), noise[:1], job(2), noise[1:])
	if found := acts(t, 3, lines...); len(found) != 0 {
		t.Errorf("found %q", chains(found))
	}
	found := acts(t, 3, slices.Concat(lines, job(3), job(4))...)
	if got := chains(found); !slices.Equal(got, []string{"4× tracker.search tracker.get* chat.post"}) {
		t.Errorf("found %q", got)
	}
	if found[0].Bytes == 0 || found[0].First.After(found[0].Last) {
		t.Errorf("%+v", found[0])
	}
}

// The same question again and again, pages, and values that are everywhere make no chain.
func TestNoChains(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 40 {
		lines = append(lines, `ci.status {"branch":"release"} {"branch":"release","state":"green"}`)
		lines = append(lines, fmt.Sprintf(`list.page {"cursor":"c-%d"} {"next":"c-%d"}`, 1000+i, 1001+i))
		if i%7 == 0 {
			lines = append(lines, fmt.Sprintf(`git.log {"branch":"release","n":%d} "release of the day"`, 100+i))
		}
	}
	if found := acts(t, 3, lines...); len(found) != 0 {
		t.Errorf("found %q", chains(found))
	}
}

// Acts of two clients, of two sessions, and with hours between them are no chain.
func TestApart(t *testing.T) {
	t.Parallel()
	for name, apart := range map[string]func(i int, a *Act) (subject string){
		"clients":  func(i int, _ *Act) string { return fmt.Sprint("client", i%2) },
		"sessions": func(i int, a *Act) string { a.Apart = i; return "" },
		"hours":    func(i int, a *Act) string { a.Time = time.Date(2026, 3, 1, i, 0, 0, 0, time.UTC); return "" },
	} {
		f := Finder{}
		for n := range 10 {
			for i, c := range [][2]string{{"s.find", fmt.Sprintf(`["id-%d77"]`, n)}, {"s.get", `1`}} {
				a := Act{Name: c[0], Tools: []string{c[0]}, Args: decode(t, fmt.Sprintf(`{"x":"id-%d77"}`, n)), Result: decode(t, c[1])}
				f.Add(apart(2*n+i, &a), a)
			}
		}
		if found := f.Find(); len(found) != 0 {
			t.Errorf("%s: found %q", name, chains(found))
		}
	}
}

// Twice as many acts take about twice the memory in all, and what is remembered of an act does not grow with its answer.
func TestFinderIsLinear(t *testing.T) {
	line := func(n int) Act {
		return Act{
			Name: fmt.Sprintf("s.tool%d", n%17), Tools: []string{"s.tool"}, Time: time.Date(2026, 3, 1, 0, 0, 10*n, 0, time.UTC),
			Args:   value.NewObject([]string{"id"}, []value.Value{fmt.Sprintf("id-%d", n-1)}),
			Result: value.NewObject([]string{"id", "text"}, []value.Value{fmt.Sprintf("id-%d", n), strings.Repeat(fmt.Sprintf("word%d ", n), 50)}),
		}
	}
	cost.Linear(t, 3000, func(n int) func() {
		return func() {
			f := Finder{}
			for i := range n {
				f.Add("", line(i))
			}
			f.Find()
		}
	})
}

// The shape of a request has its expressions without their texts, and the literals by their paths.
func TestShapeOfARequest(t *testing.T) {
	t.Parallel()
	one, literals := Shape(decode(t, `{"steps":[{"id":"a","call":"s.t","args":{"x":1,"y":{"expr":"\"p\" & b.c"}}}],"return":"a.z"}`))
	other, _ := Shape(decode(t, `{"steps":[{"id":"a","call":"s.t","args":{"x":"two","y":{"expr":"\"q\" & b.c"}}}],"return":"a.z"}`))
	third, _ := Shape(decode(t, `{"steps":[{"id":"a","call":"s.u","args":{"x":1,"y":{"expr":"\"p\" & b.c"}}}],"return":"a.z"}`))
	if one != other || one == third {
		t.Errorf("%s\n%s\n%s", one, other, third)
	}
	if object, _ := value.ObjectOf(literals); !slices.Equal(object.Keys(), []string{".steps[0].args.x", ".steps[0].args.y.expr#0"}) {
		t.Errorf("%q", object.Keys())
	}
}

// A value that most answers have is no link, although the argument has many others.
func TestValuesOfMostAnswers(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 60 {
		lines = append(lines, fmt.Sprintf(`crm.get {"id":"c-%d"} {"org":"ORG-17","name":"n%d"}`, 500+i, i))
		if i%5 == 0 {
			lines = append(lines, `bill.list {"org":"ORG-17","n":`+fmt.Sprint(100+i)+`} "none"`)
		} else {
			lines = append(lines, fmt.Sprintf(`bill.list {"org":"ORG-%d","n":%d} "none"`, 600+i, 100+i))
		}
	}
	if found := acts(t, 3, lines...); len(found) != 0 {
		t.Errorf("found %q", chains(found))
	}
}

// The same question asked again, after the chain, does not make another chain of it.
func TestQuestionAskedAgain(t *testing.T) {
	t.Parallel()
	var lines []string
	for n := 1; n <= 6; n++ {
		one := job(n)
		lines = append(lines, one...)
		if n%2 == 0 {
			lines = append(lines, one[1])
		}
		lines = append(lines, fmt.Sprintf(`web.fetch {"url":"u%d"} "text"`, n))
	}
	found := acts(t, 3, lines...)
	if got := chains(found); len(got) != 1 || !strings.HasPrefix(got[0], "6× tracker.search tracker.get* chat.post") {
		t.Errorf("found %q", got)
	}
}
