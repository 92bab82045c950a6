package config

import (
	"errors"
	"testing"
)

const constants = `vars:
  region: eu
  top: 20
  tags: [a, b]
  home: ${HOME}
  limits: {most: 5, name: "big"}
  none: null
  api_token: token-of-vars
`

// parseVars parses a file with the constants and a server, with other values for some of them.
func parseVars(t *testing.T, server string, opts Options, env ...string) (*File, Diagnostics) {
	t.Helper()
	opts.LookupEnv = environment(env...)
	f, err := Parse("g.yaml", []byte(head+constants+"mcpServers: {s: "+server+"}\n"), opts)
	var found Diagnostics
	if err != nil && !errors.As(err, &found) {
		t.Fatal(err)
	}
	return f, found
}

func TestVarsInTexts(t *testing.T) {
	for text, want := range map[string]string{
		"${vars.region}":                     "eu",
		"x-${vars.region}-${NAME}":           "x-eu-env",
		"${vars.top}":                        "20",
		"${vars.tags}":                       `["a","b"]`,
		"${vars.limits}":                     `{"most":5,"name":"big"}`,
		"${vars.limits.most}":                "5",
		"${vars.limits.name}":                "big",
		"${vars.none}":                       "null",
		"$${vars.region}":                    "${vars.region}",
		"${vars.home}":                       "${HOME}", // F22: no variable of the environment gets in
		"${vars}":                            "an environment variable of that name",
		"${vars:-x}":                         "an environment variable of that name",
		"${vars.home}${HOME}${vars.region}$": "${HOME}/rooteu$",
	} {
		f, found := parseVars(t, "{command: x, args: ['"+text+"']}", Options{}, "HOME", "/root", "NAME", "env", "vars", "an environment variable of that name")
		if found != nil {
			t.Fatal(found)
		}
		if got := f.Servers[0].Args[0].Value; got != want {
			t.Errorf("%s is %q, expected %q", text, got, want)
		}
	}
}

func TestUnknownVarsInTexts(t *testing.T) {
	for text, want := range map[string]string{
		"a ${vars.regoin}":    `g.yaml:11:40: vars of the file has no "regoin" (used by args of server "s"); did you mean "region"? [unknown-var]`,
		"${vars.limits.mots}": `vars.limits has no "mots" (used by args of server "s"); did you mean "most"? [unknown-var]`,
		"${vars.top.x}":       `vars.top has no "x" (used by args of server "s"); write the path of a value in vars [unknown-var]`,
		"${vars.}":            `vars of the file has no ""`,
		"${vars.region:-us}":  `vars of the file has no "region:-us"`,
	} {
		_, found := parseVars(t, "{command: x, args: ['"+text+"']}", Options{})
		wantAll(t, found, want)
	}
	_, err := Parse("g.yaml", []byte(head+"mcpServers: {s: {command: x, args: ['${vars.a}']}}\n"), Options{})
	var found Diagnostics
	errors.As(err, &found)
	wantAll(t, found, `g.yaml:3:38: vars of the file has no "a" (used by args of server "s"); declare it: vars: {NAME: VALUE} [unknown-var]`)
}

// Only what a text reads counts as read.
func TestVarsReadByTexts(t *testing.T) {
	f, _ := parseVars(t, "{command: x, args: ['${vars.limits.most}']}", Options{})
	for _, v := range f.Vars {
		if v.InText != (v.Name.Value == "limits") {
			t.Errorf("%s: %v", v.Name, v.InText)
		}
	}
}

func TestF22OtherValues(t *testing.T) {
	for name, want := range map[string][2]string{
		"region": {"us", `"us"`},
		"top":    {"5.5", "5.5"},
		"tags":   {`[{"b": "\u00e9"}, 1e3]`, `[{"b":"é"},1000]`},
		"limits": {`{"other": [true]}`, `{"other":[true]}`},
		"home":   {"${PATH}", `"${PATH}"`},
		"none":   {"some text", `"some text"`},
	} {
		f, found := parseVars(t, "{command: x}", Options{Vars: map[string]string{name: want[0]}})
		if found != nil {
			t.Fatal(found)
		}
		if got := string(f.Var(name).Value.JSON()); got != want[1] {
			t.Errorf("%s is %s, expected %s", name, got, want[1])
		}
	}
	f, _ := parseVars(t, "{command: x}", Options{Vars: map[string]string{"region": "5"}})
	if got := string(f.Var("region").Value.JSON()); got != `"5"` {
		t.Errorf("a text is %s", got)
	}
}

func TestF22WrongValues(t *testing.T) {
	for name, c := range map[string][2]string{
		"top":       {"x", `g.yaml:5:8: --var top is text "x", expected a number, as the file declares it; give a value of that type, or declare another one [wrong-type]`},
		"tags":      {"{}", `g.yaml:6:9: --var tags is a mapping, expected a list`},
		"limits":    {"{", `g.yaml:8:11: --var limits is text "{", expected a mapping`},
		"tpo":       {"1", `g.yaml:3:1: --var tpo: vars of the file has no "tpo"; did you mean "top"? [unknown-var]`},
		"something": {"1", `; its constants are region, top, tags, home, limits, none, api_token [unknown-var]`},
	} {
		_, found := parseVars(t, "{command: x}", Options{Vars: map[string]string{name: c[0]}})
		wantAll(t, found, c[1])
	}
	_, found := parseVars(t, "{command: x}", Options{Vars: map[string]string{"limits": `{"a": 1, "a": 2}`}})
	wantAll(t, found, "--var limits is JSON that a graph file cannot have: duplicate key")
	given, err := ParseData("t.yaml", []byte("{region: 5, tpo: 1}"))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]*Data{"region": given.Get("region"), "tpo": given.Get("tpo")}
	_, found = parseVars(t, "{command: x}", Options{VarValues: values, Vars: map[string]string{"region": "us"}})
	wantAll(t, found, "t.yaml:1:10: vars.region is a number, expected text", `t.yaml:1:18: vars.tpo: vars of the file has no "tpo"`)
}

// Constants whose names say so are secrets, as settings are; a short one cannot be redacted.
func TestSecretVars(t *testing.T) {
	f, _ := parseVars(t, "{command: x, args: ['--to=${vars.region}', '${vars.api_token}']}", Options{Vars: map[string]string{"region": "us-east"}})
	if got := f.Secrets.Redact("us-east token-of-vars"); got != "us-east [redacted]" {
		t.Errorf("redacted: %s", got)
	}
	if got := f.Servers[0].Identity; got != "x --to=us-east ${vars.api_token}" {
		t.Errorf("the server is named %s", got)
	}
	f, _ = parseVars(t, "{command: x}", Options{Vars: map[string]string{"api_token": "abc"}})
	wantAll(t, f.Warnings, "g.yaml:10:14: warning: api_token of vars is shorter than 6 characters")
}

func TestNamesOfVars(t *testing.T) {
	wantAll(t, findings(t, head+"vars: {a-b: 1, 'x y': 2, _ok9: 3}\n"), `g.yaml:3:8: the constant has the name "a-b", expected letters, digits and _`, `"x y"`)
	wantAll(t, findings(t, head+"vars: [a]\n"), `g.yaml:3:7: vars of the graph file is a list, expected a mapping of names to values [wrong-type]`)
	if LooksLikeGraph([]byte("version: '3'\nvars: {A: b}\ntasks: {}\n")) {
		t.Error("a file of tasks looks like a graph file")
	}
}
