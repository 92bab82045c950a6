package observe

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.yaml.in/yaml/v4"
)

// docs is the directory of the files that operators use.
const docs = "../../../docs/"

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var instrument = regexp.MustCompile(`meter\.(\w+)\("([^"]+)", metric\.WithUnit\("([^"]+)"\)`)

// byOthers makes an instrument whose name another library gives.
var byOthers = regexp.MustCompile(`meter\.\w+\(name\b`)

// exported are the names of all metrics: those of OpenTelemetry, and what Prometheus can ask for.
func exported(t *testing.T) (own []string, series map[string]bool) {
	t.Helper()
	series = map[string]bool{}
	add := func(kind, name, unit string) {
		own = append(own, name)
		name = prometheusName(metricdata.Metrics{Name: name, Unit: unit})
		if kind != "Float64Histogram" {
			series[name] = true
			return
		}
		for _, end := range []string{"_bucket", "_sum", "_count"} {
			series[name+end] = true
		}
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range sources {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text := readFile(t, file)
		found := instrument.FindAllStringSubmatch(text, -1)
		if n := strings.Count(text, `meter.Int64`) + strings.Count(text, `meter.Float64`) - strings.Count(text, `(n.name,`) - len(byOthers.FindAllString(text, -1)); n != len(found) {
			t.Errorf("%s makes %d instruments, of which %d have a name that can be read", file, n, len(found))
		}
		for _, m := range found {
			add(m[1], m[2], m[3])
		}
	}
	for _, n := range numbers {
		add("", n.name, n.unit)
	}
	for _, f := range processFamilies() {
		for _, s := range f.samples {
			series[f.name+s.suffix] = true
		}
	}
	return own, series
}

// documented are the metrics of the tables of the page, with the labels of those of Toolgraph.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	_, page, _ := strings.Cut(readFile(t, docs+"telemetry.md"), "\n## Metrics\n")
	page, _, _ = strings.Cut(page, "\n## ")
	all := map[string][]string{}
	code := regexp.MustCompile("`([a-z_]+)`")
	for _, row := range regexp.MustCompile("(?m)^\\| `((?:toolgraph_|mcp\\.)[a-z._]+)` \\|([^|]*)\\|(.*)\\|$").FindAllStringSubmatch(page, -1) {
		labels := []string{}
		for _, m := range code.FindAllStringSubmatch(strings.SplitN(row[3], ";", 2)[0], -1) {
			labels = append(labels, m[1])
		}
		all[row[1]] = labels
	}
	return all
}

// The page has all metrics, and no others.
func TestEachMetricIsDocumented(t *testing.T) {
	own, _ := exported(t)
	slices.Sort(own)
	if listed := slices.Sorted(maps.Keys(documented(t))); !slices.Equal(listed, own) {
		t.Errorf("the page has\n%v\nthe product\n%v", listed, own)
	}
	if len(own) < 30 {
		t.Errorf("only %v", own)
	}
}

// Prometheus's names: the unit at the end, and _total after it for what only grows.
func TestNamesOfNumbers(t *testing.T) {
	units := map[string]string{"s": "_seconds", "By": "_bytes"}
	for _, n := range numbers {
		base, total := strings.CutSuffix(n.name, "_total")
		if total != n.counts || !strings.HasSuffix(base, units[n.unit]) || !strings.HasPrefix(base, "toolgraph_") || n.help == "" {
			t.Errorf("%+v", n)
		}
	}
}

var (
	quoted    = regexp.MustCompile(`"(\\.|[^"\\])*"`)
	selection = regexp.MustCompile(`\{([^}]*)\}`)
	matcher   = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)`)
	grouping  = regexp.MustCompile(`\b(?:by|on|without|ignoring)\s*\(([^)]*)\)`)
	spans     = regexp.MustCompile(`\[[^\]]*\]`)
	word      = regexp.MustCompile(`[a-zA-Z_:][\w:]*`)
	language  = []string{"sum", "max", "count", "rate", "increase", "histogram_quantile", "time", "and", "or", "unless", "label_values"}
	always    = []string{"job", "instance", "le"} // labels that Prometheus adds, or histograms have
)

// checkQuery checks that an expression asks for metrics and labels that there are.
func checkQuery(t *testing.T, where, query string) {
	t.Helper()
	_, series := exported(t)
	known := documented(t)
	query = quoted.ReplaceAllString(query, `""`)
	var labels []string
	for _, s := range selection.FindAllStringSubmatch(query, -1) {
		for _, m := range matcher.FindAllStringSubmatch(s[1], -1) {
			labels = append(labels, m[1])
		}
	}
	query = selection.ReplaceAllString(query, "")
	for _, s := range grouping.FindAllStringSubmatch(query, -1) {
		labels = append(labels, word.FindAllString(s[1], -1)...)
	}
	query = spans.ReplaceAllString(grouping.ReplaceAllString(query, ""), "")
	allowed, asked := slices.Clone(always), 0
	for _, name := range word.FindAllString(query, -1) {
		switch {
		case slices.Contains(language, name):
		case name == "up":
			asked++
		case !series[name]:
			t.Errorf("%s: there is no metric %s", where, name)
		default:
			asked++
			allowed = append(allowed, known[regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")]...)
			if strings.HasPrefix(name, "mcp_") {
				allowed = append(allowed, "mcp_method_name")
			}
		}
	}
	if asked == 0 {
		t.Errorf("%s: no metric in %s", where, query)
	}
	for _, label := range labels {
		if !slices.Contains(allowed, label) {
			t.Errorf("%s: no metric there has a label %s", where, label)
		}
	}
}

type ruleFile struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Alert, Expr         string
			Labels, Annotations map[string]string
		}
	}
}

// Each alert asks for metrics that there are, says what to do, leads to a place in the documentation, and is on the page and in
// the tests of promtool.
func TestAlertRules(t *testing.T) {
	var file ruleFile
	if err := yaml.Unmarshal([]byte(readFile(t, docs+"monitoring/alerts.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	page, tests := readFile(t, docs+"telemetry.md"), readFile(t, docs+"monitoring/alerts-test.yaml")
	seen := map[string]bool{}
	for _, rule := range file.Groups[0].Rules {
		checkQuery(t, rule.Alert, rule.Expr)
		if seen[rule.Alert] || !regexp.MustCompile(`^Toolgraph[A-Z]\w+$`).MatchString(rule.Alert) {
			t.Errorf("%s is there twice, or has another form", rule.Alert)
		}
		seen[rule.Alert] = true
		if !strings.Contains(page, "`"+rule.Alert+"`") || !regexp.MustCompile(`\b`+rule.Alert+`\b`).MatchString(tests) {
			t.Errorf("%s is not on the page, or not tested", rule.Alert)
		}
		if !slices.Contains([]string{"critical", "warning", "info"}, rule.Labels["severity"]) {
			t.Errorf("%s: severity %q", rule.Alert, rule.Labels["severity"])
		}
		for _, text := range []string{rule.Annotations["summary"], rule.Annotations["action"]} {
			if !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %q is no sentence", rule.Alert, text)
			}
		}
		checkPlace(t, rule.Alert, rule.Annotations["docs"])
	}
	if len(seen) < 15 || len(file.Groups) != 1 {
		t.Errorf("%d rules in %d groups", len(seen), len(file.Groups))
	}
}

// checkPlace checks that a page has a heading.
func checkPlace(t *testing.T, where, place string) {
	t.Helper()
	path, anchor, _ := strings.Cut(place, "#")
	for heading := range strings.Lines(readFile(t, "../../../"+path)) {
		if text := strings.TrimSpace(strings.TrimLeft(heading, "#")); strings.HasPrefix(heading, "#") && strings.ReplaceAll(strings.ToLower(text), " ", "-") == anchor {
			return
		}
	}
	t.Errorf("%s: %s does not exist", where, place)
}

// The panels of the dashboard ask for metrics that there are, from the data source that is chosen, and have ids of their own.
func TestDashboard(t *testing.T) {
	type source struct{ Type, UID string }
	var board struct {
		SchemaVersion int
		Templating    struct {
			List []struct{ Name, Type, Definition string }
		}
		Panels []struct {
			ID                       int
			Type, Title, Description string
			Datasource               *source
			GridPos                  struct{ H, W, X, Y int }
			Targets                  []struct {
				RefID, Expr string
				Datasource  source
			}
		}
	}
	text := readFile(t, docs+"monitoring/dashboard.json")
	if err := json.Unmarshal([]byte(text), &board); err != nil {
		t.Fatal(err)
	}
	if v := board.Templating.List[0]; v.Name != "datasource" || v.Type != "datasource" || board.SchemaVersion < 39 {
		t.Errorf("%+v, version %d", v, board.SchemaVersion)
	}
	for _, v := range board.Templating.List[1:] {
		checkQuery(t, v.Name, strings.ReplaceAll(v.Definition, ", "+v.Name+")", ")"))
	}
	chosen, ids, rows := source{"prometheus", "${datasource}"}, map[int]bool{}, []string{}
	taken := map[[2]int]string{}
	for _, p := range board.Panels {
		if ids[p.ID] {
			t.Errorf("%s: the id %d is there twice", p.Title, p.ID)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if before := taken[[2]int{x, y}]; before != "" || x >= 24 {
					t.Fatalf("%s overlaps %s", p.Title, before)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			rows = append(rows, p.Title)
			continue
		}
		if p.Datasource == nil || *p.Datasource != chosen || p.Description == "" || len(p.Targets) == 0 {
			t.Errorf("%+v", p)
		}
		for _, q := range p.Targets {
			checkQuery(t, p.Title, q.Expr)
			if q.Datasource != chosen || !strings.Contains(q.Expr, `{job=~"$job",instance=~"$instance"`) {
				t.Errorf("%s: %+v", p.Title, q)
			}
		}
	}
	if got := strings.Join(rows, ", "); got != "Traffic, Upstream servers, Run history, Fleet, Retention, Process" {
		t.Error(got)
	}
	own, _ := exported(t)
	for _, name := range own {
		if strings.HasPrefix(name, "toolgraph_") && !strings.Contains(text, name) && !slices.Contains([]string{"toolgraph_tokens_saved_total"}, name) {
			t.Errorf("no panel has %s", name)
		}
	}
}

// promtool is the version that checks the alerts.
const promtool = "github.com/prometheus/prometheus/cmd/promtool@v0.316.0" // of Prometheus 3.16.0

// Promtool accepts the alerts, they fire and do not fire as their tests say, and its linter has nothing against the metrics.
func TestPromtool(t *testing.T) {
	if os.Getenv("TOOLGRAPH_CLIENTS") != "1" {
		t.Skip("builds promtool, which takes minutes; set TOOLGRAPH_CLIENTS=1 (make alerts)")
	}
	run := func(input string, args ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), "go", append([]string{"run", promtool}, args...)...)
		if built := os.Getenv("PROMTOOL"); built != "" {
			command = exec.CommandContext(t.Context(), built, args...)
		}
		command.Dir, command.Stdin = docs+"monitoring", strings.NewReader(input)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
		t.Logf("%s", out)
	}
	run("", "--version")
	run("", "check", "rules", "alerts.yaml")
	run("", "test", "rules", "alerts-test.yaml")
	m := NewMetrics()
	m.read(func(_ context.Context, report Report) {
		for n := range numbersEnd {
			report(n, 1, "of", "x")
		}
	})
	run(ownLines(scrape(t, m)), "check", "metrics")
}

// ownLines are the metrics of Toolgraph in a scrape: the names of others, and of the conventions, are not its own.
func ownLines(text string) string {
	var own strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE "), "toolgraph_") {
			own.WriteString(line)
		}
	}
	return own.String()
}
