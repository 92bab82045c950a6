package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	modulePath = "toolgraph"
	module     = modulePath + "/"
)

// values is the room of a run's values, language the rooms of the two languages over them.
var (
	values   = []string{"expressions/value"}
	language = []string{"expressions", "expressions/value", "expressions/jsonata", "expressions/jsonlogic"}
)

// below is what each room of the engine, and each floor of the doors, imports of the others. A floor is a directory
// below internal; its rooms are the packages in it. Each room may import the leaves as well, each floor all of
// internal/base.
var below = map[string][]string{
	"config":                     {},
	"docs":                       {},
	"expressions/value":          {},
	"expressions/jsonata":        values,
	"expressions/jsonlogic":      {"expressions/jsonata", "expressions/value"},
	"expressions":                {"expressions/jsonata"},
	"expressions/second":         values,
	"expressions/shape":          language,
	"expressions/schema":         {"config", "expressions/value"},
	"graph":                      with(language, "config", "expressions/schema"),
	"graph/flow":                 with(language, "config", "expressions/schema", "expressions/shape", "graph"),
	"execution/call":             {"config", "expressions/value"},
	"mcpclient":                  {"config", "execution/call", "expressions/schema", "expressions/value"},
	"execution":                  {"config", "execution/call", "expressions", "expressions/schema", "expressions/value", "graph"},
	"execution/fold":             {"config", "execution", "expressions", "expressions/value", "graph"},
	"execution/journal":          {"config", "execution", "expressions/value"},
	"execution/journal/postgres": {"execution/journal"},
	"execution/journal/sqlite":   {"execution/journal"},

	"internal/base":      values,
	"internal/serving":   {"config", "expressions/schema", "expressions/value", "graph", "graph/flow", "mcpclient"},
	"internal/telemetry": {"config", "execution", "expressions/value", "graph", "internal/serving", "mcpclient"},
	"internal/project":   {"config", "expressions/schema", "expressions/shape", "expressions/value", "graph", "graph/flow", "internal/serving", "mcpclient"},
	"internal/authoring": with(language, "config", "execution", "execution/fold", "execution/journal", "expressions/schema", "expressions/shape", "graph", "graph/flow", "internal/project", "internal/serving", "mcpclient"),
	"internal/editor":    with(language, "config", "docs", "expressions/shape", "graph", "graph/flow", "internal/authoring", "internal/project", "mcpclient"),
	"internal/interop":   {"config", "expressions/value", "internal/authoring", "internal/project", "mcpclient"},
	"internal/debugger":  with(language, "config", "execution", "execution/fold", "execution/journal", "expressions/schema", "graph", "internal/authoring", "internal/editor", "internal/project", "internal/serving", "mcpclient"),
	"internal/runtime":   {"config", "execution", "execution/journal", "execution/journal/postgres", "execution/journal/sqlite", "expressions", "expressions/jsonata", "expressions/jsonlogic", "expressions/schema", "expressions/shape", "expressions/value", "graph", "graph/flow", "internal/project", "internal/serving", "internal/telemetry", "mcpclient"},
	"internal/cli": with(language, "config", "docs", "execution", "execution/fold", "execution/journal", "expressions/schema", "expressions/second", "expressions/shape", "graph", "mcpclient",
		"internal/authoring", "internal/debugger", "internal/editor", "internal/interop", "internal/program", "internal/project", "internal/runtime", "internal/serving", "internal/telemetry"),
	"internal/program": {"config", "execution", "execution/journal", "expressions/value", "graph", "internal/project", "internal/runtime", "internal/serving", "internal/telemetry", "mcpclient"},
	"internal/tools":   {"docs", "internal/cli", "internal/interop"}, // no part of the product
}

// leaves may be imported by every room.
var leaves = []string{"internal/base/files", "internal/base/wording"}

func with(rooms []string, more ...string) []string { return slices.Concat(rooms, more) }

// importer is the one room that may import a module; two for what the command lines are made of.
var importer = map[string]string{
	"go.yaml.in/yaml/v4":                       "config",
	"github.com/recolabs/gnata":                "expressions/jsonata",
	"github.com/blues/jsonata-go":              "expressions/second",
	"github.com/go-playground/validator/v10":   "config",
	"github.com/diegoholiveira/jsonlogic":      "expressions/second",
	"golang.org/x/text":                        "expressions/jsonata",
	"github.com/mark3labs/mcp-go/client":       "mcpclient",
	"github.com/mark3labs/mcp-go/server":       "internal/serving/server",
	"github.com/santhosh-tekuri/jsonschema/v6": "expressions/schema",
	"github.com/spf13/cobra":                   "internal/program internal/cli internal/tools/release",
	"github.com/spf13/pflag":                   "internal/program internal/cli",
	"github.com/google/licensecheck":           "internal/tools/release",
	"github.com/fsnotify/fsnotify":             "internal/runtime",
	"golang.org/x/term":                        "internal/base/terminal",
	"github.com/peterh/liner":                  "internal/base/terminal",
	"github.com/mattn/go-runewidth":            "internal/base/terminal",
	"golang.org/x/net":                         "internal/serving/server",
	"github.com/go-jose/go-jose":               "internal/serving/authorize",
	"github.com/rogpeppe/go-internal/diff":     "internal/base/diff",
	"github.com/gofrs/flock":                   "internal/base/files",
	"github.com/zalando/go-keyring":            "internal/base/keychain",
	"github.com/pelletier/go-toml":             "internal/interop/hostconfig",
	"golang.org/x/sync":                        "execution",
	"modernc.org/sqlite":                       "execution/journal/sqlite",
	"github.com/jackc/pgx":                     "execution/journal/postgres",
	"go.opentelemetry.io/otel":                 "internal/telemetry/observe",
	"go.opentelemetry.io/proto":                "internal/telemetry/observe",
	"google.golang.org/protobuf":               "internal/telemetry/observe",
	"github.com/cenkalti/backoff/v5":           "internal/telemetry/observe",
}

type listed struct {
	ImportPath string
	Imports    []string
}

// packages is what go list prints of every package of the module, without tests.
func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// placeOf returns the room of the engine or the floor that a package of the module is in: the longest name in below
// that its path begins with, or "".
func placeOf(path string) string {
	path = strings.TrimPrefix(path, module)
	best := ""
	for name := range below {
		if (path == name || strings.HasPrefix(path, name+"/")) && len(name) > len(best) {
			best = name
		}
	}
	return best
}

// roomOf returns the room of a package: of the engine, or the directory below its floor; the floor itself is a room
// when it is a package.
func roomOf(path string) string {
	place := placeOf(path)
	rest, deeper := strings.CutPrefix(strings.TrimPrefix(path, module), place+"/")
	if !deeper || !strings.HasPrefix(place, "internal/") {
		return place
	}
	first, _, _ := strings.Cut(rest, "/")
	return place + "/" + first
}

func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	used := map[string]map[string]bool{}
	for _, p := range packages(t) {
		from := placeOf(p.ImportPath)
		switch {
		case p.ImportPath == strings.TrimSuffix(module, "/"), strings.HasPrefix(p.ImportPath, module+"tests"):
			continue
		case from == "":
			t.Errorf("%s is in no room and on no floor that tests/layers_test.go knows", p.ImportPath)
			continue
		case used[from] == nil:
			used[from] = map[string]bool{}
		}
		for _, path := range p.Imports {
			to := placeOf(path)
			isBase := slices.Contains(leaves, strings.TrimPrefix(path, module)) || to == "internal/base" && strings.HasPrefix(from, "internal/")
			if !strings.HasPrefix(path, module) || to == from || isBase {
				continue
			}
			if used[from][to] = true; !slices.Contains(below[from], to) {
				t.Errorf("%s imports %s, and %s may import only %v", p.ImportPath, path, from, below[from])
			}
		}
	}
	for from, allowed := range below {
		for _, to := range allowed {
			if !used[from][to] {
				t.Errorf("%s may import %s and does not: take it out of below", from, to)
			}
		}
	}
}

// No room reaches itself by imports, on its floor or across others.
func TestNoCircleOfRooms(t *testing.T) {
	t.Parallel()
	imports := map[string]map[string]bool{}
	for _, p := range packages(t) {
		from := roomOf(p.ImportPath)
		if imports[from] == nil {
			imports[from] = map[string]bool{}
		}
		for _, path := range p.Imports {
			if to := roomOf(path); strings.HasPrefix(path, module) && to != from {
				imports[from][to] = true
			}
		}
	}
	if circle := circleIn(imports); circle != nil {
		t.Errorf("these rooms import each other in a circle, or a room of it: %v", circle)
	}
	floors := map[string]map[string]bool{}
	for name, allowed := range below {
		floors[name] = map[string]bool{}
		for _, to := range allowed {
			floors[name][to] = true
		}
	}
	if circle := circleIn(floors); circle != nil {
		t.Errorf("these floors may import each other in a circle, or a floor of it: %v", circle)
	}
	if circle := circleIn(map[string]map[string]bool{"a": {"b": true}, "b": {"c": true}, "c": {"b": true}, "d": {}}); !slices.Equal(circle, []string{"a", "b", "c"}) {
		t.Errorf("the circle of b and c is not found: %v", circle)
	}
}

// circleIn takes away what imports nothing that is left, again and again, and returns the rest: circles and what
// imports them. It is nil when there is no circle.
func circleIn(imports map[string]map[string]bool) []string {
	left := maps.Clone(imports)
	for {
		before := len(left)
		maps.DeleteFunc(left, func(_ string, of map[string]bool) bool {
			for to := range of {
				if left[to] != nil {
					return false
				}
			}
			return true
		})
		if len(left) == before {
			return slices.Sorted(maps.Keys(left))
		}
	}
}

// drawnFloor is a floor in the picture of ARCHITECTURE.md: its rooms, and the floors that it imports.
var drawnFloor = regexp.MustCompile(`(?m)^.{9}(internal/\w+) {2,}(\w[\w ]*?)(?: *→ (.*))?$`)

// The picture in ARCHITECTURE.md has the directories below internal: each floor with its rooms, above the floors that
// it imports. The table has a row for each room.
func TestPictureOfRooms(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile(filepath.Join("..", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	floors, drawn := roomsOnFloors(t), map[string]bool{}
	lines := drawnFloor.FindAllSubmatch(src, -1)
	slices.Reverse(lines) // from the ground up
	for _, line := range lines {
		floor, rooms, imports := string(line[1]), strings.Fields(string(line[2])), strings.Fields(string(line[3]))
		if drawn[floor] = true; !equalSets(rooms, floors[floor]) {
			t.Errorf("the picture of ARCHITECTURE.md has %v in %s; there are %v", rooms, floor, floors[floor])
		}
		var want []string
		for _, to := range below[floor] {
			if name, isFloor := strings.CutPrefix(to, "internal/"); isFloor {
				if want = append(want, name); !drawn[to] {
					t.Errorf("the picture of ARCHITECTURE.md has %s below %s, which it imports", floor, to)
				}
			}
		}
		if !equalSets(imports, want) {
			t.Errorf("the picture of ARCHITECTURE.md has %s import %v; it imports %v", floor, imports, want)
		}
	}
	for floor, rooms := range floors {
		if !drawn[floor] {
			t.Errorf("the picture of ARCHITECTURE.md has no line for %s: %v", floor, rooms)
		}
		for _, room := range rooms {
			row := "\n| `" + floor
			if room != path.Base(floor) {
				row += "/" + room
			}
			if !bytes.Contains(src, []byte(row+"`")) && !bytes.Contains(src, []byte(row+"/")) {
				t.Errorf("the table of ARCHITECTURE.md has no row for %s in %s", room, floor)
			}
		}
	}
	for room := range below {
		if !strings.HasPrefix(room, "internal/") && !bytes.Contains(src, []byte("\n| `"+room+"` |")) {
			t.Errorf("the table of ARCHITECTURE.md has no row for %s", room)
		}
	}
}

// roomsOnFloors returns the rooms of each floor: its directories, and the floor itself when it is a package. A floor
// that is a module of its own is no floor of the product.
func roomsOnFloors(t *testing.T) map[string][]string {
	t.Helper()
	floors := map[string][]string{}
	files := trackedFiles(t)
	for _, file := range files {
		parts := strings.Split(file, "/")
		if parts[0] != "internal" || slices.Contains(files, "internal/"+parts[1]+"/go.mod") || strings.Contains(file, "testdata/") {
			continue
		}
		floor, room := "internal/"+parts[1], parts[2]
		if len(parts) == 3 {
			room = parts[1]
		}
		if !slices.Contains(floors[floor], room) {
			floors[floor] = append(floors[floor], room)
		}
	}
	return floors
}

func equalSets(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// Programs of other modules are made of internal/runtime and internal/program; none imports the command line of toolgraph.
func TestOtherModulesDoNotImportTheCommandLine(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, file := range trackedFiles(t) {
		if !strings.HasPrefix(file, "internal/temporal/") || !strings.HasSuffix(file, ".go") {
			continue
		}
		src, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		if seen++; bytes.Contains(src, []byte(`"toolgraph/internal/cli"`)) {
			t.Errorf("%s imports internal/cli", file)
		}
	}
	if seen == 0 {
		t.Error("no file of internal/temporal was looked at")
	}
}

// journalReaders are the files of the command line that read recorded runs for a user. What makes, joins, resumes or
// cancels a run is in internal/runtime.
var journalReaders = strings.Fields("cli/drift cli/eval_run cli/fork cli/import_run cli/lock_learn cli/lsp_values cli/replay cli/resume cli/retention cli/retention_show cli/runs cli/runs_cancel cli/runs_export " +
	"cli/runs_questions cli/runs_show cli/runs_watch cli/stats cli/suggest cli/ui_again program/flags program/flags_keep")

// ownsRuns are the methods of a store by which a process claims runs and speaks to others.
var ownsRuns = regexp.MustCompile(`\.(ClaimParked|ClaimDue|Park|AnswerParked|Send|Receive|Announce|Attach|Attached)\(`)

func TestCommandLineOwnsNoRuns(t *testing.T) {
	t.Parallel()
	var readers []string
	for _, file := range trackedFiles(t) {
		room, name := path.Split(strings.TrimSuffix(strings.TrimPrefix(file, "internal/"), ".go"))
		if room != "cli/" && room != "program/" || !strings.HasSuffix(file, ".go") || strings.HasSuffix(name, "_test") {
			continue
		}
		src, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(src, []byte(`"toolgraph/execution/journal"`)) {
			readers = append(readers, room+name)
		}
		if call := ownsRuns.Find(src); call != nil {
			t.Errorf("%s calls %s…), which belongs to internal/runtime", file, call)
		}
	}
	if !equalSets(readers, journalReaders) {
		t.Errorf("of the command line, %v import execution/journal, expected %v", readers, journalReaders)
	}
}

func TestOneImporterPerModule(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		from := strings.TrimPrefix(p.ImportPath, module)
		if from == "tests" || strings.HasPrefix(from, "tests/") {
			continue // what measures or fakes a room may use its libraries
		}
		for _, path := range p.Imports {
			for mod, owner := range importer {
				if (path == mod || strings.HasPrefix(path, mod+"/")) && !slices.Contains(strings.Fields(owner), from) {
					t.Errorf("%s imports %s, which belongs to %s", p.ImportPath, path, owner)
				}
			}
		}
	}
}
