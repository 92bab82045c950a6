// Command release makes what GoReleaser does not: manual pages, completions and notices for its archives and packages, the list
// of modules of an executable, npm packages and bundles from the archives, and the files of the image. It also gives the
// project the names under which it is published.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
)

const usage = `usage, in the root of the project:
  go run ./internal/tools/release notices                   docs/third-party-notices.txt: the licences of all linked modules
  go run ./internal/tools/release manual DIRECTORY VERSION  manual pages, completions and notices, for archives and packages
  go run ./internal/tools/release sbom EXECUTABLE DOCUMENT  the modules in an executable with their licences, as CycloneDX
  go run ./internal/tools/release npm DIST VERSION          DIST/npm: the packages of DIST's archives, for npm publish
  go run ./internal/tools/release bundles DIST VERSION      DIST/*.mcpb: bundles of the first graph, for all systems
  go run ./internal/tools/release image TAR CERTIFICATES    the files of the image beside the executable
  go run ./internal/tools/release publish-as MODULE [NAME=VALUE]...
                                                            one commit with the module's path and all names of releases`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 1 && args[0] == "publish-as" {
		n, err := namesFor(args[1], args[2:])
		if err != nil {
			return err
		}
		return publishAs(ctx, ".", n)
	}
	if len(args) == 1 && args[0] == "notices" {
		return writeNotices(ctx)
	}
	if len(args) != 3 {
		return errors.New(usage)
	}
	first, second := args[1], args[2]
	switch args[0] {
	case "manual":
		return writeManual(ctx, first, second)
	case "sbom":
		return writeSBOM(first, second)
	case "npm":
		return writePackages(first, second, published())
	case "bundles":
		return writeBundles(ctx, first, second)
	case "image":
		return writeImage(first, second)
	}
	return errors.New(usage)
}
