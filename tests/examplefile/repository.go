package examplefile

import (
	"context"
	"fmt"
	"os/exec"
)

// Repository makes a git repository of three commits in the empty directory dir: by
// Ada, Bob and Ada, with the subjects first, second and third.
func Repository(ctx context.Context, dir string) error {
	if err := git(ctx, dir, "init", "-q"); err != nil {
		return err
	}
	for i, commit := range [][2]string{{"Ada", "first"}, {"Bob", "second"}, {"Ada", "third"}} {
		when := fmt.Sprintf("2026-01-0%dT12:00:00Z", i+1)
		err := git(
			ctx, dir, "-c", "user.name="+commit[0], "-c", "user.email="+commit[0]+"@example.com", "-c", "commit.gpgsign=false",
			"commit", "-q", "--allow-empty", "--date", when, "-m", commit[1],
		)
		if err != nil {
			return err
		}
	}
	return nil
}

func git(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, said)
	}
	return nil
}
