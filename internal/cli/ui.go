package cli

import (
	"context"
	"fmt"
	"log/slog"
	"net"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/debug"
	"toolgraph/internal/debug/page"
	"toolgraph/internal/project"
)

type uiFlags struct {
	runnerFlags
	files   serveFlags // graph and servers only
	address string
	noOpen  bool
}

func newUI(std streams) *cobra.Command {
	flags := uiFlags{}
	cmd := &cobra.Command{
		Use:   "ui FILE",
		Short: "Run, step through and look at runs in the browser",
		Long: `Open a page that runs the tools of a graph file, steps through them, shows what each
expression read and gave, and travels through runs that are kept. Changes of the file
are taken at once.

The page is served from this program on this machine alone, and asks nothing of any
other. Its address has a token, which changes with each start.`,
		Example: `  toolgraph ui graph.yaml
  toolgraph ui graph.yaml --addr 127.0.0.1:7000 --no-open`,
		Args: onlyGraph,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.run(cmd.Context(), std)
		},
	}
	cmd.Flags().StringVar(&flags.address, "addr", "127.0.0.1:0", "the address of the page, on this machine; port 0 is any that is free")
	cmd.Flags().BoolVar(&flags.noOpen, "no-open", false, "print the address and open no browser")
	flags.register(cmd, "warn")
	flags.history.register(cmd)
	return takesGraph(cmd, &flags.files.graph)
}

func (f *uiFlags) run(ctx context.Context, std streams) error {
	address, err := f.loopback()
	if err != nil {
		return err
	}
	f.files.servers = f.servers
	seen := f.files.fingerprint() // before, so that no change after it goes unnoticed
	p, err := load(ctx, f.files.graph, f.files.servers)
	if err != nil {
		return err
	}
	log, locked, err := f.prepare(std, p)
	if err != nil {
		return err
	}
	told(log, p.Warnings)
	plugged, err := f.plug(ctx, log)
	if err != nil {
		return err
	}
	defer plugged.close()
	r := &uiReload{flags: f, std: std, plugged: plugged, seen: seen}
	users := newPoolUsers(p, locked, log, r.ask)
	defer users.close()
	plugged.hints = users.hints
	on, err := new(net.ListenConfig).Listen(ctx, "tcp", address.String())
	if err != nil {
		return err
	}
	r.users = users
	r.page = page.New(page.Options{
		Controller: debug.New(), Project: r.project(p, users.current, log),
		Store: plugged.history, Version: versionText(), Logger: log,
	})
	defer r.start(ctx, log)()
	url := r.page.URL(on.Addr())
	fmt.Fprintf(std.err, "toolgraph: the debugger of %s is at %s (Ctrl-C ends)\n", p.File.Path, url)
	if !f.noOpen && isTerminal(std.err) {
		if err := openBrowser(ctx, url); err != nil {
			log.Info("no browser was opened", "error", err)
		}
	}
	return r.page.Serve(ctx, on)
}

// loopback is the address to listen on, which only this machine may reach.
func (f *uiFlags) loopback() (*net.TCPAddr, error) {
	address, err := net.ResolveTCPAddr("tcp", f.address)
	if err != nil || address.IP == nil {
		return nil, usagef("--addr is %q, expected HOST:PORT such as 127.0.0.1:7000", f.address)
	}
	if !address.IP.IsLoopback() {
		return nil, usagef("--addr %s is an address that other machines reach; expected one of this machine, such as 127.0.0.1:%d", f.address, address.Port)
	}
	return address, nil
}

// project is what the page shows of a file.
func (r *uiReload) project(p *project.Project, shared *sharedPool, log *slog.Logger) page.Project {
	return page.Project{
		Project: p, Source: sourceOf(p.File.Path), Engine: r.plugged.engine(p, shared.pool), Begin: r.beginner(log),
	}
}

// sourceOf is the text of a file that has been loaded; what cannot be read any more is
// shown as empty.
func sourceOf(path string) string {
	src, err := config.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(src)
}
