package main

import (
	_ "github.com/blues/jsonata-go/jparse"
	_ "github.com/diegoholiveira/jsonlogic/v3"
	_ "github.com/go-playground/validator/v10"
	_ "github.com/mark3labs/mcp-go/client"
	_ "github.com/mark3labs/mcp-go/server"
	_ "github.com/recolabs/gnata"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/spf13/cobra"
	_ "go.uber.org/goleak"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/sys/unix"
	_ "golang.org/x/term"
	_ "gopkg.in/yaml.v3"
	_ "pgregory.net/rapid"
)

func main() {}
