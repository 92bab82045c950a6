// Command release makes the files of a release: archives with checksums, a list of modules for
// each, npm packages, the files of the image, and bundles of a first graph. The version and a directory go in. Each step
// reads the archives, so it works on those of GoReleaser as on those of the first step.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
)

const usage = `usage, in the root of the project:
  go run ./internal/tools/release archives DIST VERSION     cross-build, pack, and write checksums.txt and SBOMs
  go run ./internal/tools/release npm DIST VERSION PACKAGE  DIST/npm: the packages of DIST's archives, for npm publish
  go run ./internal/tools/release bundles DIST VERSION      DIST/*.mcpb: bundles of the first graph, for all systems
  go run ./internal/tools/release image TAR CERTIFICATES    the files of the image beside the executable: certificates, directories
  go run ./internal/tools/release sbom ARCHIVE DOCUMENT     the modules in the executable of an archive, as CycloneDX
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
	if len(args) < 3 {
		return errors.New(usage)
	}
	command, first, second := args[0], args[1], args[2]
	switch {
	case command == "archives" && len(args) == 3:
		return writeArchives(ctx, first, second)
	case command == "npm" && len(args) == 4:
		return writePackages(first, second, args[3])
	case command == "bundles" && len(args) == 3:
		return writeBundles(ctx, first, second)
	case command == "image" && len(args) == 3:
		return writeImage(first, second)
	case command == "sbom" && len(args) == 3:
		return writeSBOM(first, second)
	}
	return errors.New(usage)
}
