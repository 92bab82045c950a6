package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/interop/hostconfig"
	"toolgraph/internal/program"
	"toolgraph/internal/project/lock"
	"toolgraph/mcpclient"
)

// entryTime is how long the server of an entry that was written may take until its tools are listed.
const entryTime = 20 * time.Second

// serveFlags returns the flags without which the entry would not serve the file as this directory has it:
// --allow-exec for programs, which only the user can decide, and --locked for a lock file.
func (f *configFlags) serveFlags(file *config.File) (args, warnings []string, err error) {
	exec := slices.IndexFunc(file.Servers, func(u *config.Upstream) bool { return u.Transport == config.Exec })
	switch {
	case f.allowExec:
		args = append(args, "--allow-exec")
	case exec >= 0:
		u := file.Servers[exec]
		text := fmt.Sprintf("%s: server %s starts programs, which is refused without --allow-exec; if you trust the file, add --allow-exec to this command", u.Name.Pos, wording.Quote(u.Name.Value))
		if f.write {
			return nil, nil, program.Usagef("%s", text)
		}
		warnings = append(warnings, text)
	}
	if f.locked == "auto" {
		if _, err := os.Stat(lock.Path(file.Path)); err == nil {
			f.locked = "true"
		}
	}
	if f.locked == "true" {
		args = append(args, "--locked")
	}
	return args, warnings, nil
}

// entryStart is what came of starting the server of an entry once.
type entryStart struct {
	Tools  []string `json:"tools"`            // that it lists
	Not    string   `json:"not,omitempty"`    // why it was not started
	Failed string   `json:"failed,omitempty"` // why it did not start, or did not list its tools
}

// startEntry starts the server of an entry once, as a host does, and lists its tools. It is not started when
// variables that it needs are set for the host only.
func startEntry(ctx context.Context, launch hostconfig.Launch) *entryStart {
	s := &entryStart{Tools: []string{}}
	u := &config.Upstream{
		Name: config.Text{Value: launch.Name}, Transport: config.Stdio, Command: config.Text{Value: launch.Command}, StartTimeout: entryTime,
	}
	for _, arg := range launch.Args {
		u.Args = append(u.Args, config.Text{Value: arg})
	}
	var secrets, unset []string
	names := slices.Clone(launch.Variables)
	for _, o := range launch.Optional {
		names = append(names, o.Name)
	}
	for i, name := range names {
		value, isSet := os.LookupEnv(name)
		switch {
		case isSet:
			secrets = append(secrets, value)
			u.Env = append(u.Env, config.Setting{Name: config.Text{Value: name}, Value: config.Text{Value: value}})
		case i < len(launch.Variables):
			unset = append(unset, name)
		}
	}
	if len(unset) > 0 {
		s.Not = "these variables are not set here: " + strings.Join(unset, ", ")
		return s
	}
	ctx, stop := context.WithTimeout(ctx, entryTime)
	defer stop()
	hidden := config.NewSecrets(secrets...)
	pool := mcpclient.NewPool([]*config.Upstream{u}, mcpclient.WithSecrets(hidden), mcpclient.WithClientInfo("toolgraph", program.VersionText()))
	defer pool.Close()
	tools, err := pool.ListTools(ctx, launch.Name)
	if err != nil {
		s.Failed = hidden.Redact(err.Error())
		return s
	}
	for _, tool := range tools {
		s.Tools = append(s.Tools, tool.Name)
	}
	return s
}

// print prints what came of the start.
func (s *entryStart) print(std program.Streams) {
	switch {
	case s.Not != "":
		program.PrintLine(std.Err, "the entry was not started, because %s", s.Not)
	case s.Failed == "":
		program.PrintLine(std.Out, "started once: %s: %s", wording.Count(len(s.Tools), "tool"), wording.List(s.Tools))
	}
}
