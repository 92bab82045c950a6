package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "toolgraph/"

// values is the room of a run's values, language the rooms of the two languages over them.
var (
	values   = []string{"expressions/value"}
	language = []string{"expressions", "expressions/value", "expressions/jsonata", "expressions/jsonlogic"}
)

// below is what each room may import of the other rooms.
var below = map[string][]string{
	"config":                        {},
	"expressions/value":             {},
	"expressions":                   values,
	"expressions/jsonata":           {"expressions", "expressions/value"},
	"expressions/jsonlogic":         {"expressions", "expressions/value", "expressions/jsonata"},
	"expressions/shape":             language,
	"expressions/schema":            {"config", "expressions/value"},
	"graph":                         with(language, "config", "expressions/schema"),
	"graph/flow":                    with(language, "config", "expressions/schema", "expressions/shape", "graph"),
	"internal/base/diff":            values,
	"internal/base/cost":            {}, // for tests alone
	"internal/base/files":           {},
	"internal/base/wording":         {},
	"internal/base/terminal":        {},
	"mcpclient":                     with(values, "config", "expressions/schema"),
	"execution":                     with(language, "config", "expressions/schema", "graph"),
	"execution/journal":             with(values, "config", "graph", "execution"),
	"execution/journal/postgres":    {"execution/journal"},
	"internal/runtime/state":        {"execution/journal", "execution/journal/postgres"},
	"internal/runtime/cache":        with(values, "config", "execution"),
	"internal/telemetry/observe":    with(values, "config", "graph", "execution", "mcpclient", "internal/serving/server", "internal/base/wording"),
	"internal/telemetry/audit":      with(values, "config", "graph", "execution"),
	"internal/serving/server":       with(values, "config", "graph", "expressions/schema"),
	"internal/serving/authorize":    {"internal/serving/server", "mcpclient"},
	"internal/serving/demo":         with(values, "config", "internal/serving/server"),
	"internal/serving/pipeline":     with(values, "config", "graph"),
	"internal/project":              with(values, "config", "expressions/schema", "graph", "graph/flow", "internal/serving/pipeline", "internal/project/registry"),
	"internal/project/capabilities": {"config", "graph"},
	"internal/project/lock":         with(values, "config", "expressions/schema", "expressions/shape", "graph", "graph/flow", "internal/project/capabilities", "internal/base/diff", "internal/project/registry", "mcpclient"),
	"internal/interop/bundle":       {"config", "graph", "internal/interop/hostconfig", "internal/project/lock", "internal/project"},
	"internal/interop/hostconfig":   {"config", "internal/project/registry"},
	"internal/project/registry":     {"config", "mcpclient"},
	"internal/authoring/graphtest":  with(values, "config", "expressions", "expressions/schema", "graph", "execution", "internal/base/diff", "internal/project", "internal/serving/server"),
	"internal/interop/importer":     with(language, "config", "mcpclient", "internal/authoring/graphtest", "internal/interop/hostconfig"),
	"internal/authoring/view":       with(language, "config", "graph", "execution", "execution/journal"),
	"internal/serving/toolset":      with(values, "config", "internal/serving/server", "internal/authoring/view"),
	"internal/runtime/links":        {"expressions/value", "internal/serving/server"},
	"internal/runtime/results":      with(language, "config", "expressions/shape", "execution/journal", "internal/serving/server", "internal/serving/toolset"),
	"internal/authoring/dryrun":     with(values, "config", "expressions/schema", "graph", "graph/flow", "execution", "internal/project/lock", "mcpclient"),
	"internal/authoring/inspect": with(language,
		"config", "expressions/shape", "graph", "graph/flow", "execution", "execution/journal",
		"internal/project/capabilities", "internal/debugger/debug", "internal/base/diff", "internal/project/lock", "internal/project", "internal/serving/server", "internal/serving/toolset", "internal/authoring/view",
	),
	"internal/authoring": with(language,
		"config", "expressions/shape", "graph", "graph/flow", "execution", "execution/journal", "mcpclient",
		"internal/project/capabilities", "internal/base/diff", "internal/authoring/graphtest", "internal/authoring/inspect", "internal/project/lock", "internal/project", "internal/project/registry", "internal/serving/server", "internal/serving/toolset", "internal/authoring/view",
	),
	"internal/editor/completion": with(language, "config", "expressions/shape", "graph", "graph/flow", "internal/authoring/view"),
	"internal/editor/checks":     {"config", "graph/flow", "internal/editor/completion", "internal/project/lock", "internal/project", "internal/project/registry", "mcpclient"},
	"internal/editor/lsp": with(language,
		"config", "graph", "graph/flow", "execution/journal", "mcpclient",
		"internal/editor/checks", "internal/editor/completion", "internal/authoring/graphtest", "internal/project/lock", "internal/editor/names", "internal/project", "internal/editor/remedy",
	),
	"internal/editor/remedy":  {"config", "expressions/jsonata"},
	"internal/editor/names":   {"config", "expressions", "expressions/jsonata", "expressions/jsonlogic"},
	"internal/debugger/debug": with(language, "graph", "execution"),
	"internal/debugger/page": with(language,
		"config", "expressions/schema", "graph", "execution", "execution/journal", "mcpclient",
		"internal/editor/checks", "internal/editor/completion", "internal/debugger/debug", "internal/debugger/web", "internal/base/diff", "internal/authoring/dryrun", "internal/serving/pipeline", "internal/project", "internal/serving/server", "internal/authoring/view",
	),
	"internal/debugger/web":  {},
	"internal/tools/release": {"internal/interop/bundle"},
	"internal/cli":           nil, // wires everything
	"tests":                  nil,
}

// leaves may be imported by every room.
var leaves = []string{"internal/base/files", "internal/base/wording"}

func with(rooms []string, more ...string) []string { return slices.Concat(rooms, more) }

// importer is the one room that may import a module.
var importer = map[string]string{
	"go.yaml.in/yaml/v4":                       "config",
	"github.com/recolabs/gnata":                "expressions/jsonata",
	"github.com/blues/jsonata-go":              "expressions/jsonata",
	"github.com/go-playground/validator/v10":   "config",
	"github.com/diegoholiveira/jsonlogic":      "expressions/jsonlogic",
	"golang.org/x/text":                        "expressions/jsonata",
	"github.com/mark3labs/mcp-go/client":       "mcpclient",
	"github.com/mark3labs/mcp-go/server":       "internal/serving/server",
	"github.com/santhosh-tekuri/jsonschema/v6": "expressions/schema",
	"github.com/spf13/cobra":                   "internal/cli",
	"github.com/spf13/pflag":                   "internal/cli",
	"github.com/fsnotify/fsnotify":             "internal/cli",
	"golang.org/x/term":                        "internal/base/terminal",
	"github.com/peterh/liner":                  "internal/base/terminal",
	"github.com/mattn/go-runewidth":            "internal/base/terminal",
	"golang.org/x/net":                         "internal/serving/server",
	"github.com/go-jose/go-jose":               "internal/serving/authorize",
	"github.com/rogpeppe/go-internal/diff":     "internal/base/diff",
	"github.com/gofrs/flock":                   "internal/base/files",
	"github.com/pelletier/go-toml":             "internal/interop/hostconfig",
	"golang.org/x/sync":                        "execution",
	"modernc.org/sqlite":                       "execution/journal",
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

// room is the room of a package of the module: the longest name in below that it begins with.
func room(path string) string {
	path = strings.TrimPrefix(path, module)
	best := ""
	for name := range below {
		if (path == name || strings.HasPrefix(path, name+"/")) && len(name) > len(best) {
			best = name
		}
	}
	return best
}

func TestImportsPointDown(t *testing.T) {
	for _, p := range packages(t) {
		from := room(p.ImportPath)
		if from == "" {
			if p.ImportPath != "toolgraph" {
				t.Errorf("%s is in no room that tests/layers_test.go knows", p.ImportPath)
			}
			continue
		}
		allowed := below[from]
		if allowed == nil {
			continue
		}
		for _, path := range p.Imports {
			to := room(path)
			if strings.HasPrefix(path, module) && to != from && !slices.Contains(allowed, to) && !slices.Contains(leaves, to) {
				t.Errorf("%s imports %s, and %s may import only %v", p.ImportPath, path, from, allowed)
			}
		}
	}
}

// A room that measures or fakes others may use their libraries.
var exempt = []string{"tests"}

func TestOneImporterPerModule(t *testing.T) {
	for _, p := range packages(t) {
		from := room(p.ImportPath)
		if slices.Contains(exempt, from) {
			continue
		}
		for _, path := range p.Imports {
			for mod, owner := range importer {
				if (path == mod || strings.HasPrefix(path, mod+"/")) && from != owner {
					t.Errorf("%s imports %s, which belongs to %s", p.ImportPath, path, owner)
				}
			}
		}
	}
}
