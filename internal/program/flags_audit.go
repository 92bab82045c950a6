package program

import (
	"github.com/spf13/cobra"

	"toolgraph/internal/telemetry/audit"
)

// auditFlags say where the audit log is.
type auditFlags struct {
	File  string
	bytes ByteSize
	given func(flag string) bool // reports whether the command line has a flag
}

// Register adds --audit and --audit-bytes.
func (f *auditFlags) Register(cmd *cobra.Command) {
	f.bytes, f.given = audit.DefaultMaxBytes, cmd.Flags().Changed
	cmd.Flags().StringVar(&f.File, "audit", "", "append calls, questions and refusals to the audit log `file`; refuse calls that are not read-only while it cannot be written (see toolgraph audit)")
	cmd.Flags().Var(&f.bytes, "audit-bytes", "size above which the audit log is rotated; it is rotated each day as well")
}

// check rejects flags that contradict each other.
func (f *auditFlags) check() error {
	switch {
	case f.given == nil:
		return nil // of a command without these flags
	case f.given("audit") && f.File == "":
		return Usagef("--audit is empty; name a file")
	case f.given("audit-bytes") && f.File == "":
		return Usagef("--audit-bytes requires --audit FILE")
	case f.bytes == 0:
		return Usagef("--audit-bytes is 0, expected a size such as 64MiB")
	}
	return nil
}
