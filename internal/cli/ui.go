package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"runtime"
	"sync/atomic"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/authoring"
	"toolgraph/internal/debugger/debug"
	"toolgraph/internal/debugger/page"
	"toolgraph/mcpclient"
)

type uiFlags struct {
	sessionFlags
	address            string
	noOpen, allowWrite bool
}

func newUI(std streams) *cobra.Command {
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
		Args: onlyGraph,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.run(cmd.Context(), std)
		},
	}
	cmd.Flags().StringVar(&flags.address, "addr", "127.0.0.1:0", "loopback `address` of the page; port 0 picks a free port")
	cmd.Flags().BoolVar(&flags.noOpen, "no-open", false, "print the address without opening a browser")
	cmd.Flags().BoolVar(&flags.allowWrite, "allow-write", false, "allow the page to save changes of the graph file")
	flags.registerRuns(cmd, "warn")
	flags.history.register(cmd)
	return takesGraph(cmd, &flags.graph)
}

func (f *uiFlags) run(ctx context.Context, std streams) error {
	address, err := f.loopback()
	if err != nil {
		return err
	}
	changes, noChanges := newWatcher(f.watched) // before the file is loaded, so that no later change is missed
	if noChanges == nil {
		defer changes.close()
	}
	var shown *page.Server // is set before any run
	f.terminal = newAsker(std)
	f.asker = pageAsker{terminalAsker{f.terminal, false}, &shown}
	l, err := f.load(ctx, std)
	if err != nil {
		return err
	}
	defer l.close()
	logFindings(l.log, l.Warnings)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address.String())
	if err != nil {
		return err
	}
	var kit *authoring.Toolkit
	if f.allowWrite {
		kit = authoring.New(authoring.Options{Graph: f.graph, Servers: f.servers, AllowWrite: true})
		defer kit.Close()
	}
	var served atomic.Pointer[mcpclient.Pool] // of the version that is in use
	served.Store(l.pool)
	shown = page.New(page.Options{
		Controller: debug.New(), Project: l.page(), File: f.file(kit, served.Load),
		Store: l.history, Version: versionText(), Logger: l.log,
	})
	if noChanges != nil {
		l.log.Warn("changed files are not reloaded", "error", noChanges)
	} else {
		l.follow(ctx, changes, func(next *loaded) (<-chan struct{}, error) {
			served.Store(next.pool)
			return shown.Replace(next.page()), nil
		}, func(_ *loaded, err error) {
			var found config.Diagnostics
			if !errors.As(err, &found) {
				found = config.Diagnostics{{Severity: config.Error, Message: err.Error()}}
			}
			shown.Reject(sourceOf(f.graph), found)
		})
	}
	url := shown.URL(listener.Addr())
	fmt.Fprintf(std.err, "toolgraph: the debugger of %s is at %s (Ctrl-C ends)\n", l.File.Path, url)
	if !f.noOpen && isTerminal(std.err) {
		if err := openBrowser(ctx, url); err != nil {
			l.log.Info("no browser was opened", "error", err)
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
		return nil, usagef("--addr is %q, expected HOST:PORT such as 127.0.0.1:7000", f.address)
	}
	if !address.IP.IsLoopback() {
		return nil, usagef("other machines can reach --addr %s; expected a loopback address such as 127.0.0.1:%d", f.address, address.Port)
	}
	return address, nil
}

// page returns what the page shows of a file.
func (l *loaded) page() page.Project {
	p := page.Project{Project: l.Project, Source: sourceOf(l.File.Path), Engine: l.engine(), Offers: l.offers, Begin: l.begin, Hear: hearing}
	if l.history != nil {
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
	switch runtime.GOOS {
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
