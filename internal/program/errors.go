package program

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolgraph/config"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/runtime"
)

// usageError says what is wrong with the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usagef returns an error about the command line, after which the program refers to its help.
func Usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Failures that have been reported already.
var (
	ErrReported = errors.New("the failure is reported")
	ErrFindings = errors.New("the findings are reported")
)

// exitCode reports the error of a command, unless it was reported already, and returns its code.
func exitCode(err error, command string, stderr io.Writer) int {
	var usage usageError
	var options *runtime.OptionsError
	var findings config.Diagnostics
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrReported):
		return ExitFailed
	case errors.Is(err, ErrFindings):
		return ExitDiagnostics
	case errors.As(err, &findings):
		PrintDiagnostics(stderr, findings)
		ExplainFirst(stderr, findings)
		return ExitDiagnostics
	case errors.As(err, &usage), errors.As(err, &options):
		PrintFailure(stderr, err.Error())
		fmt.Fprintf(stderr, "Run '%s --help' for usage.\n", command)
		return ExitUsage
	}
	PrintFailure(stderr, err.Error())
	return ExitFailed
}

// flagError turns the errors of flags into usage errors.
func flagError(cmd *cobra.Command, err error) error {
	var unknown interface{ GetSpecifiedName() string }
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) && strings.HasPrefix(invalid.Unwrap().Error(), "expected ") {
		return Usagef("--%s is %q, %w", invalid.GetFlag().Name, invalid.GetValue(), invalid.Unwrap())
	}
	if !errors.As(err, &unknown) {
		return usageError{err}
	}
	if cmd.HasSubCommands() { // the flag may be one of the command that is misspelled
		if misspelled := NoCommand(cmd, cmd.Flags().Args()); misspelled != nil {
			return misspelled
		}
	}
	name := unknown.GetSpecifiedName()
	var names []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			names = append(names, flag.Name)
		}
	})
	if near := wording.Nearest(name, names); near != "" {
		return Usagef("%w; did you mean --%s?", err, near)
	}
	if !cmd.HasParent() {
		for _, c := range cmd.Commands() {
			if c.Flags().Lookup(name) != nil {
				return Usagef("%w; a flag of a command comes after it, as in: toolgraph %s --%s", err, c.Name(), name)
			}
		}
	}
	return usageError{err}
}
