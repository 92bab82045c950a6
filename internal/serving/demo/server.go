package demo

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"log/slog"

	"toolgraph/config"
	"toolgraph/expressions/value"
	"toolgraph/internal/serving/server"
)

//go:embed tools.yaml
var definitions []byte

// arguments are those of all tools; the schemas have checked them.
type arguments struct{ path, pattern, line string }

// answers are the tools by name.
func (f *Files) answers() map[string]func(arguments) (valued, error) {
	return map[string]func(arguments) (valued, error){
		"list_directory": func(a arguments) (valued, error) { return f.ListDirectory(a.path) },
		"find_files":     func(a arguments) (valued, error) { return f.FindFiles(a.path, a.pattern) },
		"read_file":      func(a arguments) (valued, error) { return f.ReadFile(a.path) },
		appendLine:       func(a arguments) (valued, error) { return f.AppendLine(a.path, a.line) },
	}
}

const appendLine = "append_line"

// Serve answers one client until its input ends.
func (f *Files) Serve(ctx context.Context, in io.Reader, out io.Writer, log *slog.Logger) error {
	file, err := config.Parse("tools.yaml", definitions, config.Options{})
	if err != nil {
		return err
	}
	instructions := file.Server.Instructions.Value
	if f.isWritable {
		instructions = "Access to the files of one directory; lines can be appended to texts."
	}
	var tools []server.Tool
	for _, def := range file.Tools {
		if def.Name.Value == appendLine && !f.isWritable {
			continue
		}
		answer := f.answers()[def.Name.Value]
		if answer == nil {
			return fmt.Errorf("tool %q has a definition and no answer", def.Name.Value)
		}
		tools = append(tools, server.Tool{Def: def, Run: run(answer)})
	}
	srv, err := server.New(server.Options{
		Info: server.Info{
			Name: file.Server.Name.Value, Version: file.Server.Version.Value,
			Title: file.Server.Title.Value, Instructions: instructions,
		},
		Tools: tools, Logger: log,
	})
	if err != nil {
		return err
	}
	return srv.ServeStdio(ctx, in, out)
}

// run makes a tool's Run of its answer.
func run(answer func(arguments) (valued, error)) server.Run {
	return func(_ context.Context, args value.Value, _ server.Watch) (server.Answer, error) {
		given := args.(value.Object)
		text := func(key string) string {
			value, _ := given.Get(key)
			s, _ := value.(string)
			return s
		}
		found, err := answer(arguments{path: text("path"), pattern: text("pattern"), line: text("line")})
		if err != nil {
			return server.Answer{}, err
		}
		return server.Answer{Value: found.value()}, nil
	}
}
