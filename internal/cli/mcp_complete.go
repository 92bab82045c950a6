package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/internal/base/wording"
	"toolgraph/internal/project/registry"
)

// completeServers lists the names of registered servers for the shell.
func completeServers(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	entries, err := entriesNamed(nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []cobra.Completion
	for _, e := range entries {
		description := ""
		if e.Server != nil {
			description = wording.OneLine(e.Server.Identity)
		}
		names = append(names, cobra.CompletionWithDesc(wording.Printable(e.Name), description))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeTools lists the synced tools of registered servers for the shell, as NAME.TOOL. Before the
// dot it lists the servers.
func completeTools(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	entries, err := entriesNamed(nil)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var words []cobra.Completion
	for _, e := range entries {
		if !strings.HasPrefix(begun, e.Name+".") {
			words = append(words, wording.Printable(e.Name)+".")
			continue
		}
		if e.Server == nil {
			continue
		}
		synced, err := registry.StoredTools(e.Server)
		if err != nil || synced == nil {
			continue
		}
		for _, t := range synced.Tools {
			first, _, _ := strings.Cut(t.Description, "\n")
			words = append(words, cobra.CompletionWithDesc(e.Name+"."+wording.Printable(t.Name), wording.OneLine(first)))
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
