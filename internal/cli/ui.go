package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os/exec"
	goruntime "runtime"
	"sync/atomic"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/authoring"
	"toolgraph/internal/debugger/debug"
	"toolgraph/internal/debugger/page"
	"toolgraph/internal/program"
	"toolgraph/internal/runtime"
	"toolgraph/mcpclient"
)

type uiFlags struct {
	sessionFlags
	address            string
	noOpen, allowWrite bool
}

func newUI(std program.Streams) *cobra.Command {
	flags := uiFlags{}
	cmd := &cobra.Command{
		Use:   "ui FILE",
		Short: "Run and debug tools in the browser",
		Long: `Open a page that runs the tools of a graph file, steps through them, shows what each
expression read and returned, and browses recorded runs. It shows the file with all
findings of toolgraph check. A changed file is reloaded at once.

With --allow-write the file can be edited and saved on the page. What is saved decides
which programs are started, so the page can then do all that the user can.

The page is served by this process to this machine only and loads nothing from elsewhere.
Its address contains a token that is new at each start.`,
		Example: `  toolgraph ui graph.yaml
  toolgraph ui graph.yaml --allow-write
  toolgraph ui graph.yaml --addr 127.0.0.1:7000 --no-open`,
		Args: program.OnlyGraph,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.run(cmd.Context(), std)
		},
	}
	cmd.Flags().StringVar(&flags.address, "addr", "127.0.0.1:0", "loopback `address` of the page; port 0 picks a free port")
	cmd.Flags().BoolVar(&flags.noOpen, "no-open", false, "print the address without opening a browser")
	cmd.Flags().BoolVar(&flags.allowWrite, "allow-write", false, "allow the page to save changes of the graph file")
	flags.RegisterRuns(cmd, "warn")
	flags.RegisterPipeline(cmd)
	flags.History.Register(cmd)
	return program.TakesGraph(cmd, &flags.Graph)
}

func (f *uiFlags) run(ctx context.Context, std program.Streams) error {
	address, err := f.loopback()
	if err != nil {
		return err
	}
	changes, noChanges := runtime.NewWatcher(f.watched) // before the file is loaded, so that no later change is missed
	if noChanges == nil {
		defer changes.Close()
	}
	var shown *page.Server // is set before any run
	f.terminal = newAsker(std)
	f.Asker = pageAsker{terminalAsker{f.terminal, false}, &shown}
	l, err := f.load(ctx, std)
	if err != nil {
		return err
	}
	defer l.Close()
	runtime.LogFindings(l.Log, l.Warnings)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address.String())
	if err != nil {
		return err
	}
	var kit *authoring.Toolkit
	if f.allowWrite {
		kit = authoring.New(authoring.Options{Graph: f.Graph, Servers: f.Servers, AllowWrite: true})
		defer kit.Close()
	}
	var served atomic.Pointer[mcpclient.Pool] // of the version that is in use
	served.Store(l.Pool)
	shown = page.New(page.Options{
		Controller: debug.New(), Project: pageOf(l), File: f.file(kit, served.Load),
		Store: l.History, Version: program.VersionText(), Logger: l.Log, Cancel: l.Cancels(),
	})
	if noChanges != nil {
		l.Log.Warn("changed files are not reloaded", "error", noChanges)
	} else {
		l.Follow(ctx, changes, func(next *runtime.Loaded) (<-chan struct{}, error) {
			served.Store(next.Pool)
			return shown.Replace(pageOf(next)), nil
		}, func(_ *runtime.Loaded, err error) {
			var found config.Diagnostics
			if !errors.As(err, &found) {
				found = config.Diagnostics{{Severity: config.Error, Message: err.Error()}}
			}
			shown.Reject(sourceOf(f.Graph), found)
		})
	}
	url := shown.URL(listener.Addr())
	fmt.Fprintf(std.Err, "toolgraph: the debugger of %s is at %s (Ctrl-C ends)\n", l.File.Path, url)
	if !f.noOpen && program.IsTerminal(std.Err) {
		if err := openBrowser(ctx, url); err != nil {
			l.Log.Info("no browser was opened", "error", err)
		}
	}
	return shown.Serve(ctx, listener)
}

// pageAsker asks the user of the page the questions of servers.
type pageAsker struct {
	terminalAsker
	shown **page.Server
}

// Elicitor passes the questions of servers on to the page.
func (a pageAsker) Elicitor(*config.Secrets) mcpclient.Elicitor {
	return func(ctx context.Context, upstream string, params json.RawMessage) (json.RawMessage, error) {
		return (*a.shown).Ask(ctx, upstream, params)
	}
}

// loopback checks the address to listen at, which only this machine may reach.
func (f *uiFlags) loopback() (*net.TCPAddr, error) {
	address, err := net.ResolveTCPAddr("tcp", f.address)
	if err != nil || address.IP == nil {
		return nil, program.Usagef("--addr is %q, expected HOST:PORT such as 127.0.0.1:7000", f.address)
	}
	if !address.IP.IsLoopback() {
		return nil, program.Usagef("other machines can reach --addr %s; expected a loopback address such as 127.0.0.1:%d", f.address, address.Port)
	}
	return address, nil
}

// pageOf returns what the page shows of a file.
func pageOf(l *runtime.Loaded) page.Project {
	p := page.Project{Project: l.Project, Source: sourceOf(l.File.Path), Engine: l.Engine(), Servers: l, Begin: l.Begin, Believe: l.Believe, Plans: l, Reported: runtime.WithUpstreamProgress}
	if l.History != nil {
		p.Again = pageAgain{l}
	}
	return p
}

// sourceOf returns the text of a file, empty when it cannot be read any more.
func sourceOf(path string) string {
	src, err := config.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(src)
}

// openBrowser opens an address in the user's browser.
func openBrowser(ctx context.Context, url string) error {
	name, args := "xdg-open", []string{url}
	switch goruntime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	// The process continues on its own, because it may become the user's browser.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), name, args...)
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}
