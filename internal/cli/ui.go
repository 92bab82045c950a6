package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	goruntime "runtime"

	"github.com/spf13/cobra"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
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
		Use:   "ui FILE|DIRECTORY …",
		Short: "Run and debug tools in the browser",
		Long: `Open a page that runs the tools of a graph file, steps through them, shows what each
expression read and returned, and browses recorded runs. It shows the file with all
findings of toolgraph check. A changed file is reloaded at once.

With --allow-write the file can be edited and saved on the page. What is saved decides
which programs are started, so the page can then do all that the user can.

The page is served by this process to this machine only and loads nothing from elsewhere.
Its address contains a token that is new at each start. Several files, or the graph files of
a directory, each have their page there; a list at the top leads from one to another.`,
		Example: `  toolgraph ui graph.yaml
  toolgraph ui graphs/
  toolgraph ui graph.yaml --allow-write
  toolgraph ui graph.yaml --addr 127.0.0.1:7000 --no-open`,
		RunE: func(cmd *cobra.Command, paths []string) error {
			if len(paths) == 0 {
				return program.NeedsGraph(cmd)
			}
			return flags.run(cmd.Context(), std, paths)
		},
	}
	cmd.Flags().StringVar(&flags.address, "addr", "127.0.0.1:0", "loopback `address` of the page; port 0 picks a free port")
	cmd.Flags().BoolVar(&flags.noOpen, "no-open", false, "print the address without opening a browser")
	cmd.Flags().BoolVar(&flags.allowWrite, "allow-write", false, "allow the page to save changes of the graph file")
	flags.RegisterRuns(cmd, "warn")
	flags.RegisterPipeline(cmd)
	flags.History.Register(cmd)
	return program.TakesGraphs(cmd)
}

func (f *uiFlags) run(ctx context.Context, std program.Streams, paths []string) error {
	address, err := f.loopback()
	if err != nil {
		return err
	}
	files, err := program.GraphFiles(paths)
	if err != nil {
		return err
	}
	all := make([]*uiPage, len(files))
	given := make([]string, len(files))
	for i, file := range files {
		all[i], given[i] = newUIPage(f, file), file.Path
		defer all[i].close()
	}
	f.terminal = newAsker(std)
	f.Asker = pageAsker{terminalAsker{f.terminal, false}, all}
	o, err := f.process(std)
	if err != nil {
		return err
	}
	loaded, err := runtime.LoadAll(ctx, o, given)
	if err != nil {
		return err
	}
	first := loaded[0]
	defer first.Close()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address.String())
	if err != nil {
		return err
	}
	pages := make([]*page.Server, len(all))
	for i, p := range all {
		runtime.LogFindings(loaded[i].Log, loaded[i].Warnings)
		p.open(loaded[i])
		p.follow(ctx, loaded[i])
		pages[i] = p.shown
	}
	site := page.NewSite(pages...)
	url, of := site.URL(listener.Addr()), first.File.Path
	if len(all) > 1 {
		of = wording.Count(len(all), "graph file")
	}
	fmt.Fprintf(std.Err, "toolgraph: the debugger of %s is at %s (Ctrl-C ends)\n", of, url)
	if !f.noOpen && program.IsTerminal(std.Err) {
		if err := openBrowser(ctx, url); err != nil {
			first.Log.Info("no browser was opened", "error", err)
		}
	}
	return site.Serve(ctx, listener)
}

// pageAsker asks the user of the pages the questions of servers.
type pageAsker struct {
	terminalAsker
	pages []*uiPage // are open before any run
}

// Elicitor passes the questions of servers on to the page of the run that calls; to the first for another call.
func (a pageAsker) Elicitor(*config.Secrets) mcpclient.Elicitor {
	return func(ctx context.Context, upstream string, params json.RawMessage) (json.RawMessage, error) {
		of, isRun := ctx.Value(uiPageKey{}).(*uiPage)
		if !isRun {
			of = a.pages[0]
		}
		return of.shown.Ask(ctx, upstream, params)
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
