package cli

import (
	"bytes"
	"context"
	"io"
	"strings"

	"toolgraph/internal/base/diff"
	"toolgraph/internal/base/wording"
	"toolgraph/internal/interop/adopt"
	"toolgraph/internal/interop/hostconfig"
	"toolgraph/internal/program"
	"toolgraph/internal/project/registry"
)

// takenBack is what --undo prints.
type takenBack struct {
	Host    string `json:"host"`
	File    string `json:"file"`
	DryRun  bool   `json:"dryRun"`
	Written bool   `json:"written"`
	Exact   bool   `json:"exact"` // the file is as it was before the adoption, byte for byte
	Diff    string `json:"diff"`  // secrets in it are redacted
	*adopt.Undone
}

// takeBack takes an adoption back.
func (f *adoptFlags) takeBack(ctx context.Context, std program.Streams, host *hostconfig.Host) error {
	if len(f.keep) > 0 {
		return program.Usagef("--undo takes the whole adoption back; leave out --keep")
	}
	r, err := registry.OfUser()
	if err != nil {
		return err
	}
	u, err := adopt.Undo(host, r)
	if err != nil {
		return err
	}
	report := &takenBack{Host: host.Name, File: u.File, DryRun: f.dry, Exact: u.IsExact()}
	older, newer := hostconfig.Shown(u.Before(), u.After())
	report.Diff = diff.Text(u.File, older, u.File+" (new)", newer)
	if f.format != "json" && !bytes.Equal(u.Before(), u.After()) {
		if _, err := io.WriteString(std.Out, wording.Printable(report.Diff)); err != nil {
			return err
		}
	}
	if !f.dry {
		if report.Undone, err = u.Write(ctx, f.links()); err != nil {
			return explainConfig(err, host)
		}
		report.Written = true
	}
	if f.format == "json" {
		return program.WriteEscaped(std.Out, report, "  ")
	}
	report.print(std)
	return nil
}

func (r *takenBack) print(std program.Streams) {
	how := "the adopted entries are put back, since the file has changed otherwise"
	if r.Exact {
		how = "as it was before the adoption, byte for byte"
	}
	program.PrintLine(std.Out, "%s: %s", r.File, how)
	if r.Undone == nil {
		return
	}
	if len(r.Removed) > 0 {
		program.PrintLine(std.Out, "removed: %s", strings.Join(r.Removed, ", "))
	}
	for _, left := range r.Left {
		program.PrintLine(std.Out, "left: %s", left)
	}
	if r.Backup != "" {
		program.PrintLine(std.Out, "the file until now is %s", r.Backup)
	}
}
