package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolgraph/execution/journal"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/program"
)

func newRetention(std program.Streams) *cobra.Command {
	history := &program.HistoryFlags{}
	cmd := &cobra.Command{
		Use:   "retention",
		Short: "Show or change how long runs are recorded",
		Long: `How long runs are recorded is a policy of the store of recorded runs. It holds for all
processes that record runs there, whatever their flags are. One of these processes at a time
deletes what is beyond it, in small steps.

The policy has bounds of all runs, and rules for the runs of a server, a tool or a status. A
run belongs to one rule: the one with the most conditions, of equally many the one with a
tool, then the one with a server.

Runs that can continue are never deleted by a policy: those that are in progress, wait for an
answer, are interrupted, or have an in-doubt call. toolgraph runs list --old lists old ones.`,
		Example: `  toolgraph retention show
  toolgraph retention set --keep 30 --keep-bytes 20GiB
  toolgraph retention set --status failed --keep 90
  toolgraph retention set --tool ping --keep 1 --keep-bytes 10MB
  toolgraph retention set --tool ping --remove`,
	}
	program.OnlyCommands(cmd)
	history.RegisterState(cmd.PersistentFlags())
	cmd.AddCommand(newRetentionShow(std, history), newRetentionSet(std, history))
	return cmd
}

func newRetentionShow(std program.Streams, history *program.HistoryFlags) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show the policy, what is beyond it, and who deletes it",
		Long: `Show the policy of the run history: for each rule how many runs and bytes there are, when the
oldest run began, and what is deleted next; then the process that deletes, its last look, and
what it does not delete because it can continue.

Without a policy in the store, toolgraph serve deletes by the default values of its flags,
other commands delete nothing.`,
		Example: `  toolgraph retention show
  toolgraph retention show --state postgres://toolgraph@db.example/runs --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return history.Read(func(store *journal.Store) error { return showRetention(cmd.Context(), std, store, format) })
		},
	}
	program.FormatFlag(cmd, &format)
	return cmd
}

// ruleChange is a change of the policy.
type ruleChange struct {
	of     journal.Selector
	status string
	remove bool
	keep   program.KeepFlags
}

func newRetentionSet(std program.Streams, history *program.HistoryFlags) *cobra.Command {
	var change ruleChange
	var format string
	cmd := &cobra.Command{
		Use:   "set",
		Short: "Change the policy, or one of its rules",
		Long: `Change the policy of the run history, and show it. What is not given stays as it is.

With --server, --tool or --status, the rule for such runs is changed or added. A new rule has
the days of the policy and no bytes of its own unless they are given; later changes of the
policy do not change it. --remove removes the rule.

Without them, --keep holds for the runs that no rule selects, and --keep-bytes for all runs
together, of which the oldest that no rule selects are deleted first.`,
		Example: `  toolgraph retention set --keep 365 --keep-bytes 20GiB
  toolgraph retention set --keep 0
  toolgraph retention set --server shop --status failed --keep 90
  toolgraph retention set --server shop --status failed --remove`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := change.check(); err != nil {
				return err
			}
			return history.Read(func(store *journal.Store) error {
				if _, err := store.ChangePolicy(cmd.Context(), change.change); err != nil {
					return err
				}
				return showRetention(cmd.Context(), std, store, format)
			})
		},
	}
	cmd.Flags().StringVar(&change.of.Server, "server", "", "a rule for runs of graph files with this server.`name`")
	cmd.Flags().StringVar(&change.of.Tool, "tool", "", "a rule for runs of this `tool`")
	cmd.Flags().StringVar(&change.status, "status", "", "a rule for runs that ended with this `status`: "+program.Alternatives(endedStatuses()))
	change.keep.RegisterChange(cmd)
	cmd.Flags().BoolVar(&change.remove, "remove", false, "remove the rule")
	program.FormatFlag(cmd, &format)
	return cmd
}

// endedStatuses are the statuses that a rule can have, as people read them.
func endedStatuses() (names []string) {
	for _, s := range []journal.Status{journal.Finished, journal.Failed, journal.Cancelled} {
		names = append(names, wording.Status(s))
	}
	return names
}

// check rejects flags that contradict each other.
func (c *ruleChange) check() error {
	c.of.Status = statusOf(c.status)
	switch {
	case c.status != "" && !slices.Contains(endedStatuses(), wording.Status(c.of.Status)):
		return program.Usagef("--status is %q, expected %s", c.status, program.Alternatives(endedStatuses()))
	case c.remove && c.of == (journal.Selector{}):
		return program.Usagef("--remove removes a rule: name it with --server, --tool or --status")
	case c.remove && c.keep.IsGiven():
		return program.Usagef("--remove removes the rule, and --keep and --keep-bytes change it; remove one of them")
	case !c.remove && !c.keep.IsGiven():
		return program.Usagef("nothing is changed: expected --keep, --keep-bytes or --remove")
	}
	return c.keep.Check()
}

// change returns the changed policy. It may be called several times.
func (c *ruleChange) change(was journal.Policy, ok bool) (journal.Policy, error) {
	if !ok {
		was.Retention = program.DefaultKeep()
	}
	keep := c.keep
	switch rule, known := was.Rule(c.of); {
	case c.of == (journal.Selector{}):
		keep.Set(was.Retention)
		was.Retention = keep.Retention()
	case c.remove:
		without, ok := was.Without(c.of)
		if !ok {
			return was, errNoRule(was, c.of)
		}
		return without, nil
	default:
		if !known {
			rule.MaxAge = was.MaxAge
		}
		keep.Set(rule.Retention)
		was = was.With(journal.Rule{Selector: c.of, Retention: keep.Retention()})
	}
	return was, nil
}

// errNoRule is the error of removing a rule that there is not.
func errNoRule(policy journal.Policy, of journal.Selector) error {
	var rules []string
	for _, r := range policy.Rules {
		rules = append(rules, r.Selector.String())
	}
	if len(rules) == 0 {
		return errors.New("the policy has no rules")
	}
	return fmt.Errorf("the policy has no rule for %s, expected one of: %s", of, strings.Join(rules, "; "))
}

func showRetention(ctx context.Context, std program.Streams, store *journal.Store, format string) error {
	o, err := store.Outlook(ctx, program.DefaultKeep())
	if err != nil {
		return err
	}
	if format == "json" {
		return program.WriteEscaped(std.Out, outlookOf(&o), "  ")
	}
	return printOutlook(std, &o)
}
